import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identify, refusalOf, warningsOf } from '../../src/cutters/identity.ts';
import { scriptedSession } from './scripted-session.ts';

const machine = { model: 'FC9000-140', firmware: '1.00', step_size_mm: 0.1, command_setting: 'GP-GL' };
const codes = (warnings: readonly { readonly code: string }[]): string[] => warnings.map(({ code }) => code);

describe('who a machine says it is', () => {
  it('is its model, firmware, step size and command setting, without warnings when they suit the jobs', async () => {
    const { session } = scriptedSession();
    assert.deepEqual(await identify(session, 10), { machine, warnings: [] });
  });

  it('is not asked further of one that does not answer the first question, and is warned about', async () => {
    const { session, asked } = scriptedSession({ model: () => ({ ok: false, failure: { code: 'REPLY_TIMEOUT', detail: 'no reply' } }) });
    const { machine: unknown, warnings } = await identify(session, 10);
    assert.deepEqual(unknown, { model: null, firmware: null, step_size_mm: null, command_setting: null });
    assert.deepEqual(codes(warnings), ['MACHINE_UNIDENTIFIED']);
    assert.deepEqual(asked, ['model']);
  });

  it('is asked on when the model is one of tomorrow: the step size is what spoils jobs', async () => {
    const { session } = scriptedSession({
      model: () => ({ ok: false, failure: { code: 'REPLY_MALFORMED', received: '??', detail: 'what is this' } }),
      stepSizeMm: () => ({ ok: true, stepSizeMm: 0.025 }),
    });
    const { machine: odd, warnings } = await identify(session, 10);
    assert.deepEqual([odd.model, odd.step_size_mm, codes(warnings)], [null, 0.025, ['STEP_SIZE_MISMATCH']]);
  });
});

describe('warnings about a machine', () => {
  it('name the size at which jobs would be cut', () => {
    const warnings = warningsOf({ ...machine, step_size_mm: 0.025 }, 10);
    assert.deepEqual(codes(warnings), ['STEP_SIZE_MISMATCH']);
    assert.match(warnings.map(({ message }) => message).join(), /25 %/);
    assert.deepEqual(warningsOf({ ...machine, step_size_mm: 0.05 }, 20), []);
    assert.deepEqual(codes(warningsOf({ ...machine, step_size_mm: null }, 20)), ['STEP_SIZE_UNKNOWN']);
  });

  it('are given for HP-GL and for guessing', () => {
    assert.deepEqual(codes(warningsOf({ ...machine, command_setting: 'HP-GL' }, 10)), ['COMMAND_SETTING_HPGL']);
    assert.deepEqual(codes(warningsOf({ ...machine, command_setting: 'AUTO' }, 10)), ['COMMAND_SETTING_AUTO']);
  });
});

describe('the refusal of a job', () => {
  it('keeps a job of another scale from the cutter, whatever the scale of the service', () => {
    assert.equal(refusalOf(machine, { command_type: 0, stepsPerMm: 10 }), null);
    assert.equal(refusalOf(machine, { command_type: 0, stepsPerMm: 40 })?.code, 'STEP_SIZE_MISMATCH');
    assert.equal(refusalOf({ ...machine, step_size_mm: 0.025 }, { command_type: 0, stepsPerMm: 10 })?.code, 'STEP_SIZE_MISMATCH');
    assert.equal(refusalOf({ ...machine, step_size_mm: 0.025 }, { command_type: 0, stepsPerMm: 40 }), null);
  });

  it('keeps GP-GL from a machine that is set to HP-GL, and lets HP-GL through', () => {
    const hpgl = { ...machine, command_setting: 'HP-GL' };
    assert.equal(refusalOf(hpgl, { command_type: 0, stepsPerMm: 10 })?.code, 'COMMAND_SETTING_HPGL');
    assert.equal(refusalOf(hpgl, { command_type: 1, stepsPerMm: 10 }), null);
    assert.equal(refusalOf({ ...machine, command_setting: 'AUTO' }, { command_type: 0, stepsPerMm: 10 }), null);
  });

  it('does not stop a job for a machine that would not say', () => {
    assert.equal(refusalOf({ model: null, firmware: null, step_size_mm: null, command_setting: null }, { command_type: 0, stepsPerMm: 10 }), null);
  });
});
