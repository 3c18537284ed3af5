import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const read = (name: string): string[] => readFileSync(new URL(`../../systemd/${name}`, import.meta.url), 'utf8').split('\n').filter((line) => !line.startsWith('#'));
const unit = read('kerf.service');
/** Every value given to a directive; systemd joins those of a list. */
const values = (directive: string): string[] => unit.flatMap((line) => (line.startsWith(`${directive}=`) ? line.slice(directive.length + 1).split(' ') : []));

describe('systemd/kerf.service', () => {
  it('runs as an account of its own in a directory of its own, and waits for the network and the clock', () => {
    assert.deepEqual([values('User'), values('StateDirectory'), values('Environment').filter((value) => value.startsWith('APP_DATA_DIR'))], [['kerf'], ['kerf'], ['APP_DATA_DIR=/var/lib/kerf']]);
    for (const target of ['network-online.target', 'time-sync.target']) assert.ok(values('After').includes(target), target);
  });

  it('lets a running job stream end: SIGTERM once, to the service alone, and 20 minutes', () => {
    assert.deepEqual([values('KillSignal'), values('KillMode'), values('TimeoutStopSec')], [['SIGTERM'], ['mixed'], ['20min']]);
  });

  it('comes back after a failure, but not when a setting is wrong', () => {
    assert.deepEqual([values('Restart'), values('RestartPreventExitStatus')], [['on-failure'], ['2']]);
    assert.match(readFileSync(new URL('../../src/start.ts', import.meta.url), 'utf8'), /settings: 2\b/);
  });

  it('reaches serial lines and the network, and lets V8 make machine code', () => {
    assert.deepEqual(values('DeviceAllow').filter((value) => value !== 'rw').sort(), ['char-ttyACM', 'char-ttyAMA', 'char-ttyS', 'char-ttyUSB']);
    assert.ok(values('SupplementaryGroups').includes('dialout'));
    for (const family of ['AF_INET', 'AF_INET6', 'AF_UNIX']) assert.ok(values('RestrictAddressFamilies').includes(family), family);
    for (const closed of ['MemoryDenyWriteExecute', 'PrivateDevices', 'PrivateNetwork']) assert.deepEqual(values(closed), [], closed);
  });
});

describe('systemd/99-kerf-cutter.rules', () => {
  it('names a line by its adapter, and leaves its group to dialout', () => {
    const rules = read('99-kerf-cutter.rules').join('\n');
    assert.match(rules, /SYMLINK\+="kerf\/\$env\{ID_SERIAL_SHORT\}"/);
    assert.match(rules, /GROUP="dialout"/);
    // A `!=` on SUBSYSTEMS or another plural key holds as soon as one parent differs, so it would skip every line.
    assert.doesNotMatch(rules, /\b[A-Z]+S(\{\w+\})?!=/);
  });
});
