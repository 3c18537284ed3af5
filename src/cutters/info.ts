/** Who a machine says it is, asked now. */
import { NOT_COMMUNICATING, type MachineInfo } from '../../machines/index.ts';
import type { QueryFailure, Session } from '../datalink/index.ts';

export type InfoFailure =
  /** In the middle of a cycle, or taking a job: it is asked nothing. */
  | { readonly code: 'CUTTER_BUSY'; readonly detail: string }
  | { readonly code: 'CUTTER_UNREACHABLE'; readonly detail: string };

export type InfoResult = { readonly ok: true; readonly machine: MachineInfo } | { readonly ok: false; readonly failure: InfoFailure };

/** What the cutter is about, looked at now: a status code, or why there is none. */
export type Look = () => Promise<{ readonly status: number } | { readonly failure: InfoFailure }>;

/**
 * Model, step size and command setting. The status is looked at before every question, and only status 0 lets it be asked.
 * Hole: an operator who scans within the milliseconds between the look and the question has one question in his cycle.
 */
export async function askInfo(session: Session, look: Look): Promise<InfoResult> {
  const machine: MachineInfo = { model: null, firmware: null, step_size_mm: null, command_setting: null };
  const questions = [
    async () => {
      const answer = await session.model({ busy: 'refuse' });
      if (!answer.ok) return answer.failure;
      machine.model = answer.model;
      machine.firmware = answer.firmware;
      return null;
    },
    async () => {
      const answer = await session.stepSizeMm({ busy: 'refuse' });
      if (!answer.ok) return answer.failure;
      machine.step_size_mm = answer.stepSizeMm;
      return null;
    },
    async () => {
      const answer = await session.commandSetting({ busy: 'refuse' });
      if (!answer.ok) return answer.failure;
      machine.command_setting = answer.commandSetting;
      return null;
    },
  ];
  for (const ask of questions) {
    const looked = await look();
    if ('failure' in looked) return { ok: false, failure: looked.failure };
    const refusal = refusalAt(looked.status);
    if (refusal !== null) return { ok: false, failure: refusal };
    const failure = await ask();
    // A reply that cannot be read leaves its field unknown; the others may still be told.
    if (failure !== null && failure.code !== 'REPLY_MALFORMED') return { ok: false, failure: infoFailure(failure) };
  }
  return { ok: true, machine };
}

/** Why a machine in this status may not be asked. */
export function refusalAt(status: number): InfoFailure | null {
  if (status === 0) return null;
  if (status === NOT_COMMUNICATING) return { code: 'CUTTER_UNREACHABLE', detail: 'it does not answer' };
  return { code: 'CUTTER_BUSY', detail: `it is in the middle of a cycle (status ${status})` };
}

export function infoFailure({ code, detail }: QueryFailure): InfoFailure {
  return code === 'LINK_BUSY' ? { code: 'CUTTER_BUSY', detail: 'a job is being sent to it' } : { code: 'CUTTER_UNREACHABLE', detail };
}
