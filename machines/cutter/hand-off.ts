/** How a hand-off's record moves. A closed one is never touched again. */
import type { CutterContext, HandOff, HandOffState } from './context.ts';
import type { ChosenJob, HandOverOutput } from './events.ts';

const openStates: readonly HandOffState[] = ['sending', 'sent', 'cutting'];

export function isOpen(handOff: HandOff | null): handOff is HandOff {
  return handOff !== null && openStates.includes(handOff.state);
}

/** The whole stream of the latest hand-off has left: status 5 may then have come and gone between two polls. */
export function isStreamDone(handOff: HandOff | null): boolean {
  return handOff?.state === 'sent' || handOff?.state === 'cutting';
}

export function opened(id: string, job: ChosenJob, at: number): HandOff {
  return {
    id, job_id: job.id, job_name: job.name, link_info: job.link_info, state: 'sending',
    started_at: at, ended_at: null, bytes_total: job.bytes_total, bytes_sent: null, detail: '',
  };
}

export function moved(context: CutterContext, state: HandOffState, at: number, detail: string): HandOff | null {
  const handOff = context.hand_off;
  if (!isOpen(handOff)) return handOff;
  return { ...handOff, state, detail, ended_at: openStates.includes(state) ? null : at };
}

/** The record after the hand-over effect came back. */
export function handedOver(context: CutterContext, result: HandOverOutput): HandOff | null {
  const handOff = moved(context, result.outcome, result.at, result.detail);
  return handOff === null ? null : { ...handOff, bytes_sent: result.bytes_sent };
}

export function handOffData(handOff: HandOff | null): Record<string, unknown> {
  if (handOff === null) return {};
  const { id, job_id, job_name, link_info, bytes_total, bytes_sent } = handOff;
  return { hand_off_id: id, job_id, job_name, link_info, bytes_total, bytes_sent };
}
