/** Who a machine says it is, and what of its settings would spoil a job. */
import type { CutterWarning, MachineInfo } from '../../machines/index.ts';
import type { Session } from '../datalink/index.ts';

export interface Identity {
  readonly machine: MachineInfo;
  readonly warnings: CutterWarning[];
}

/**
 * Model, step size and command setting. A machine that does not answer the first question is not asked the others:
 * each silence costs a whole timeout in which its status is not read.
 */
export async function identify(session: Session, stepsPerMm: number): Promise<Identity> {
  const model = await session.model();
  if (!model.ok && model.failure.code !== 'REPLY_MALFORMED') {
    const message = `The cutter does not say what it is (${model.failure.detail}); its step size cannot be checked against the jobs.`;
    return { machine: { model: null, firmware: null, step_size_mm: null, command_setting: null }, warnings: [{ code: 'MACHINE_UNIDENTIFIED', message }] };
  }
  const step = await session.stepSizeMm();
  const setting = await session.commandSetting();
  const machine: MachineInfo = {
    model: model.ok ? model.model : null,
    firmware: model.ok ? model.firmware : null,
    step_size_mm: step.ok ? step.stepSizeMm : null,
    command_setting: setting.ok ? setting.commandSetting : null,
  };
  return { machine, warnings: warningsOf(machine, stepsPerMm) };
}

/** What of a machine's settings would spoil a job. */
export function warningsOf(machine: MachineInfo, stepsPerMm: number): CutterWarning[] {
  return [...stepWarnings(machine, stepsPerMm), ...settingWarnings(machine)];
}

function stepWarnings({ step_size_mm: stepMm }: MachineInfo, stepsPerMm: number): CutterWarning[] {
  if (stepMm === null) return [{ code: 'STEP_SIZE_UNKNOWN', message: 'The cutter does not tell its step size: whether jobs are cut at the right size cannot be checked. Compare GP-GL STEP SIZE at its panel with GPGL_STEPS_PER_MM.' }];
  if (isSameScale(stepMm, stepsPerMm)) return [];
  const message = `The cutter's step size is ${stepMm} mm, jobs are written for ${1 / stepsPerMm} mm: they would be cut at ${Math.round(stepMm * stepsPerMm * 100)} % of their size and are not handed over. Set GP-GL STEP SIZE on the cutter, or GPGL_STEPS_PER_MM.`;
  return [{ code: 'STEP_SIZE_MISMATCH', message }];
}

function settingWarnings({ command_setting: setting }: MachineInfo): CutterWarning[] {
  if (setting === 'HP-GL') return [{ code: 'COMMAND_SETTING_HPGL', message: 'The cutter is set to HP-GL: GP-GL jobs are not handed over. Set COMMAND to GP-GL at its panel.' }];
  if (setting === 'AUTO') return [{ code: 'COMMAND_SETTING_AUTO', message: 'The cutter guesses the command language (COMMAND is AUTO); it has been seen to guess wrong. Set COMMAND to GP-GL at its panel.' }];
  return [];
}

export function isSameScale(stepMm: number, stepsPerMm: number): boolean {
  return Math.abs(stepMm * stepsPerMm - 1) < 1e-6;
}

/** Why a job may not be handed to this machine, or null. */
export function refusalOf(machine: MachineInfo, job: { readonly command_type: number; readonly stepsPerMm: number }): CutterWarning | null {
  if (machine.step_size_mm !== null && job.command_type === 0 && !isSameScale(machine.step_size_mm, job.stepsPerMm)) {
    return { code: 'STEP_SIZE_MISMATCH', message: `The job is written for steps of ${1 / job.stepsPerMm} mm, the cutter counts in ${machine.step_size_mm} mm: it would be cut at the wrong size and was not sent.` };
  }
  if (machine.command_setting === 'HP-GL' && job.command_type === 0) {
    return { code: 'COMMAND_SETTING_HPGL', message: 'The cutter is set to HP-GL and would not understand the job; it was not sent.' };
  }
  return null;
}
