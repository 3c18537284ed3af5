import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { readSettings, settingNames } from '../../src/settings/index.ts';

const text = readFileSync(new URL('../../systemd/kerf.env', import.meta.url), 'utf8');
const lines = text.split('\n');
/** "NAME=value" is set, "#NAME=value" shows a default, "#   NAME=value" an example. */
const matching = (form: RegExp): string => lines.flatMap((line) => form.exec(line)?.[1] ?? []).join('\n');
const asShipped = parseEnv(matching(/^([A-Z][A-Z_]*=.*)$/));
const defaults = parseEnv(matching(/^#([A-Z][A-Z_]*=.*)$/));
const examples = parseEnv(matching(/^# {3}([A-Z][A-Z_]*=.*)$/));

describe('systemd/kerf.env', () => {
  it('explains every setting, and nothing that is none', () => {
    const explained = [asShipped, defaults, examples].flatMap((part) => Object.keys(part));
    assert.deepEqual(explained.toSorted(), [...settingNames].sort());
  });

  it('is valid as it is shipped, without a warning', () => {
    const read = readSettings(asShipped, '/nowhere');
    assert.ok(read.ok);
    assert.deepEqual(read.warnings, []);
    assert.equal(read.settings.appDataDir, '/var/lib/kerf');
  });

  it('shows the defaults that are in force', () => {
    const shown = readSettings({ ...asShipped, ...defaults }, '/nowhere');
    const inForce = readSettings(asShipped, '/nowhere');
    assert.deepEqual(shown, inForce);
    assert.ok(Object.values(defaults).every((value) => value !== ''));
  });

  it('gives examples that are valid', () => {
    for (const [name, value] of Object.entries(examples)) {
      const read = readSettings({ ...asShipped, [name]: value }, '/nowhere');
      assert.ok(read.ok, `${name}=${String(value)}`);
      assert.deepEqual(read.warnings.filter(({ code }) => code !== 'OPEN_TO_NETWORK'), [], name);
    }
  });

  it('has lines that systemd and Node read alike: no quotes, no continuation, no blanks at the end', () => {
    for (const line of lines) assert.doesNotMatch(line, /^#? {0,3}[A-Z_]+=.*["'\\]|\s$/);
  });
});
