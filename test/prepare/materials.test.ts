import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMaterials } from '../../src/prepare/index.ts';

const condition = { speed_cm_per_s: 30, acceleration: 2, force: 14 };
const vinyl = { 'cut': condition, 'kiss-cut': { ...condition, force: 8 }, 'perforation': condition, 'crease': condition };

const read = (value: unknown) => readMaterials(Buffer.from(JSON.stringify(value)));

function problemsOf(value: unknown): string {
  const result = read(value);
  assert.ok(!result.ok, 'a refusal was expected');
  return result.problems.join('\n');
}

describe('the file of materials', () => {
  it('gives the conditions of all tools for each name', () => {
    const result = read({ materials: { 'vinyl': vinyl, 'PVC 0.3 mm': vinyl } });
    assert.ok(result.ok);
    assert.deepEqual([...result.materials.keys()], ['vinyl', 'PVC 0.3 mm']);
    assert.deepEqual(result.materials.get('vinyl')?.['kiss-cut'], { speedCmPerS: 30, accelerationLevel: 2, forceLevel: 8 });
  });

  it('says of a tool that is missing, a value out of its range and a word that is none, where they are', () => {
    assert.match(problemsOf({ materials: { vinyl: { cut: condition, crease: condition } } }), /\/materials\/vinyl .*kiss-cut/);
    assert.match(problemsOf({ materials: { vinyl: { ...vinyl, cut: { ...condition, speed_cm_per_s: 61 } } } }), /\/materials\/vinyl\/cut\/speed_cm_per_s .*60/);
    assert.match(problemsOf({ materials: { vinyl: { ...vinyl, cut: { ...condition, force: 1.5 } } } }), /\/materials\/vinyl\/cut\/force .*integer/);
    assert.match(problemsOf({ materials: { vinyl: { ...vinyl, cut: { ...condition, presure: 3 } } } }), /\/materials\/vinyl\/cut .*/);
    assert.match(problemsOf({ vinyl }), /materials/);
  });

  it('tells all problems at once', () => {
    const problems = problemsOf({ materials: { vinyl: { ...vinyl, cut: { speed_cm_per_s: 0, acceleration: 9, force: 99 } } } });
    for (const name of ['speed_cm_per_s', 'acceleration', 'force']) assert.match(problems, new RegExp(name));
  });

  it('refuses names that no form field should carry, and what is no JSON', () => {
    for (const name of ['', ' vinyl', 'a\nb', 'x'.repeat(41), 'Folie ß']) assert.match(problemsOf({ materials: { [name]: vinyl } }), /no name for a material/);
    const broken = readMaterials(Buffer.from('{"materials":'));
    assert.ok(!broken.ok && broken.problems[0]?.includes('not JSON') === true);
  });
});
