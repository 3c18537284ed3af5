import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLog, type LogLevel } from '../../src/log.ts';

function recorded(level: LogLevel, systemd = false): { log: ReturnType<typeof createLog>; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ level, systemd, now: () => 0, write: (line) => lines.push(line) }), lines };
}

describe('the log', () => {
  it('writes one line with time, level, message and fields', () => {
    const { log, lines } = recorded('info');
    log.with({ cutter: 'big' }).info('scan seen', { code: 'F00000001', count: 2, text: 'a b' });
    assert.deepEqual(lines, ['1970-01-01T00:00:00.000Z INFO  scan seen cutter=big code=F00000001 count=2 text="a b"\n']);
  });

  it('leaves out what is below its level', () => {
    const { log, lines } = recorded('warn');
    log.debug('a');
    log.info('b');
    log.warn('c');
    log.error('d');
    assert.equal(lines.length, 2);
  });

  it('begins with the priority that systemd reads', () => {
    const { log, lines } = recorded('info', true);
    log.error('broken');
    assert.deepEqual(lines, ['<3>broken\n']);
  });

  it('never breaks a line, whatever a client sent', () => {
    const { log, lines } = recorded('info');
    log.info('path /a\n<3>forged\u2028x', { value: 'b\r\nc', error: new Error('d\ne') });
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.split(/[\n\r\u2028]/).length, 2);
  });

  it('survives fields that JSON cannot hold', () => {
    const { log, lines } = recorded('info');
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    log.info('odd', { circle, big: 10n, nothing: undefined });
    assert.equal(lines[0], '1970-01-01T00:00:00.000Z INFO  odd circle="(not printable)" big="10" nothing=undefined\n');
  });
});
