import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSightings, type Sightings } from '../../src/folders/sightings.ts';

const identity = (more: { size?: number; mtime?: number; ino?: number } = {}) =>
  ({ dev: '1', ino: String(more.ino ?? 7), size: more.size ?? 100, mtime_ns: String(more.mtime ?? 1_000) });
const file = (name: string, more: Parameters<typeof identity>[0] = {}) => ({ name, identity: identity(more) });
const names = (sightings: Sightings, isComplete = true): string[] => sightings.settled(() => isComplete).map(({ name }) => name);
const print = { minAgeMs: 2000, pollMs: 500, hasSidecars: false };
const cut = { ...print, hasSidecars: true };

describe('a file in an inbox', () => {
  it('has settled when size and time stood still for the minimum age, whatever its time says', () => {
    const sightings = createSightings(print);
    for (const [size, settled] of [[10, []], [10, []], [20, []], [20, []], [20, []], [20, []], [20, ['a.pdf']]] as const) {
      sightings.observe({ files: [file('a.pdf', { size })], sidecars: [] }, 500);
      assert.deepEqual(names(sightings), settled);
    }
  });

  it('begins anew when another file takes its name', () => {
    const sightings = createSightings(print);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 0);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 2000);
    assert.deepEqual(names(sightings), ['a.pdf']);
    for (const more of [{ ino: 8 }, { ino: 8, mtime: 2_000 }, { ino: 8, mtime: 2_000, size: 1 }]) {
      sightings.observe({ files: [file('a.pdf', more)], sidecars: [] }, 2000);
      assert.deepEqual(names(sightings), []);
    }
  });

  it('without an end mark waits for 15 quiet seconds', () => {
    const sightings = createSightings(print);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 0);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 14_999);
    assert.deepEqual(names(sightings, false), []);
    assert.deepEqual(names(sightings, true), ['a.pdf']);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 1);
    assert.deepEqual(names(sightings, false), ['a.pdf']);
  });

  it('is taken in the order of age, then of name', () => {
    const sightings = createSightings({ ...print, minAgeMs: 0 });
    // Nanoseconds of today are beyond what a number holds exactly.
    const late = 1_800_000_000_000_000_000;
    const files = [file('c.pdf', { mtime: late }), file('b.pdf', { mtime: 5 }), file('a.pdf', { mtime: late }), file('d.pdf', { mtime: 4 })];
    sightings.observe({ files, sidecars: [] }, 0);
    assert.deepEqual(names(sightings), ['d.pdf', 'b.pdf', 'a.pdf', 'c.pdf']);
  });

  it('of the cut folder waits one more look for a late sidecar', () => {
    const sightings = createSightings(cut);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 0);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 2000);
    assert.deepEqual(names(sightings), []);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 500);
    assert.deepEqual(names(sightings), ['a.pdf']);
  });

  it('waits for a sidecar that is still written, and takes it along', () => {
    const sightings = createSightings(cut);
    sightings.observe({ files: [file('a.pdf')], sidecars: [] }, 0);
    sightings.observe({ files: [file('a.pdf')], sidecars: [file('a.json', { size: 1 })] }, 2000);
    sightings.observe({ files: [file('a.pdf')], sidecars: [file('a.json', { size: 2 })] }, 2000);
    assert.deepEqual(names(sightings), []);
    sightings.observe({ files: [file('a.pdf')], sidecars: [file('a.json', { size: 2 })] }, 2000);
    assert.deepEqual(sightings.settled(() => true), [{ ...file('a.pdf'), sidecars: [file('a.json', { size: 2 })] }]);
  });

  it('is forgotten when it is gone', () => {
    const sightings = createSightings({ ...print, minAgeMs: 0 });
    sightings.observe({ files: [file('a.pdf'), file('b.pdf')], sidecars: [] }, 0);
    sightings.forget('a.pdf');
    assert.deepEqual([names(sightings), sightings.count()], [['b.pdf'], 1]);
    sightings.observe({ files: [], sidecars: [] }, 0);
    assert.equal(sightings.count(), 0);
  });
});
