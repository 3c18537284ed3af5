/**
 * What a status means, given what came before: the next state, what becomes of an open hand-off, and what is said of
 * it. Pure; the machine asks, and follows.
 */
import type { Publication } from '../vocabulary.ts';
import type { CutterContext, HandOff } from './context.ts';
import { handOffData, isOpen, isStreamDone, moved } from './hand-off.ts';
import { beginsCycle, isKnownStatus, isLegalChange, NOT_COMMUNICATING, statusLabel } from './status.ts';

export const followedStates = ['standby', 'idle', 'scanning', 'listing', 'selecting', 'determined', 'sent', 'cutting', 'operating'] as const;
export type FollowedState = (typeof followedStates)[number];

export interface Verdict {
  readonly target: FollowedState;
  readonly patch: Partial<CutterContext>;
  readonly says: readonly Publication[];
}

export interface Observation {
  readonly code: number;
  readonly at: number;
  /** Why the cutter does not answer, for code -999. */
  readonly detail?: string | undefined;
}

export function judge(context: CutterContext, observation: Observation, standingBy: boolean): Verdict {
  const verdict = standingBy ? judgeInStandby(context, observation) : judgeInCycle(context, observation);
  const { code } = observation;
  return { ...verdict, patch: { known_status: placeOf(context, code), ...verdict.patch, status: code, resumed: false } };
}

/** Where in the table a code stands. A negative one is an error, which lasts until 0 is reported (section 4.1). */
function placeOf(context: CutterContext, code: number): number {
  if (isKnownStatus(code)) return code;
  return code < 0 ? 7 : context.known_status;
}

function judgeInStandby(context: CutterContext, observation: Observation): Verdict {
  const { code } = observation;
  const previous = context.known_status;
  const restored = context.status === NOT_COMMUNICATING && code !== NOT_COMMUNICATING ? [linkRestored(code)] : [];
  if (code === NOT_COMMUNICATING) return { target: 'standby', patch: blame(observation, 'LINK_LOST', silent(observation)), says: [linkLost(observation)] };
  const cycle = { ...forgetCycle, last_error: null };
  if (code === 1) return { target: 'scanning', patch: cycle, says: [...restored, status(context, code)] };
  if (code < 0) return { target: 'standby', patch: blame(observation, 'CUTTER_ERROR', cutterError(code)), says: [...restored, status(context, code)] };
  if (previous !== NOT_COMMUNICATING && beginsCycle(previous, code)) return { target: 'listing', patch: cycle, says: [status(context, code)] };
  if (isKnownStatus(code) && !isLegalChange(previous, code, false)) return illegal(context, observation);
  return { target: 'standby', patch: {}, says: [...restored, status(context, code)] };
}

function judgeInCycle(context: CutterContext, observation: Observation): Verdict {
  const { code, at } = observation;
  if (context.resumed && ![4, 5, 6].includes(code)) return doubtful(context, observation);
  if (code === NOT_COMMUNICATING) {
    const ended = end(context, 'interrupted', at, 'The link to the cutter was lost.');
    return standby(observation, 'LINK_LOST', silent(observation), ended, [linkLost(observation)]);
  }
  if (code < 0) return failed(context, observation);
  if (!isKnownStatus(code)) return { target: sameState(context), patch: {}, says: [status(context, code)] };
  if (!isLegalChange(context.known_status, code, isStreamDone(context.hand_off))) return illegal(context, observation);
  return legal(context, observation);
}

function legal(context: CutterContext, { code, at }: Observation): Verdict {
  const says = [status(context, code)];
  const leaves = isOpen(context.hand_off) && code <= 2 ? leaveCut(context, at) : unchanged;
  const go = (target: FollowedState, ended: Ended = unchanged, patch: Partial<CutterContext> = {}): Verdict =>
    ({ target, patch: { ...patch, ...ended.patch }, says: [...says, ...ended.says] });
  switch (code) {
    case 0: return go('idle', leaves, forgetCycle);
    case 1: return go('scanning', leaves, { ...forgetCycle, last_error: null });
    case 2: return go('listing', leaves, { ...forgetCycle, last_error: null });
    case 3: return go('selecting');
    case 4: return go(isOpen(context.hand_off) ? 'sent' : 'determined');
    case 5: return isOpen(context.hand_off) ? go('cutting', { patch: { hand_off: moved(context, 'cutting', at, '') }, says: [] }) : go('cutting');
    case 6: return go('operating');
    default: return failed(context, { code, at });
  }
}

/** Status 7, or a negative one. */
function failed(context: CutterContext, observation: Observation): Verdict {
  const { code, at } = observation;
  const ended = end(context, 'interrupted', at, 'The cutter reports an error.');
  return standby(observation, 'CUTTER_ERROR', cutterError(code), ended, [status(context, code)]);
}

export interface Ended {
  readonly patch: Partial<CutterContext>;
  readonly says: readonly Publication[];
}

const unchanged: Ended = { patch: {}, says: [] };
const forgetCycle: Partial<CutterContext> = { link_info: null, offered: [] };

/** From 6 (user operating) straight out of the cycle: the operator ended the cut at the panel. */
function leaveCut(context: CutterContext, at: number): Ended {
  return context.known_status === 6 ? end(context, 'interrupted', at, 'It was ended at the panel.') : end(context, 'finished', at, '');
}

function end(context: CutterContext, state: 'finished' | 'interrupted' | 'unknown_outcome', at: number, detail: string): Ended {
  if (!isOpen(context.hand_off)) return unchanged;
  const handOff = moved(context, state, at, detail);
  return { patch: { hand_off: handOff }, says: [handOffEnded(handOff)] };
}

/** Nobody watches the cutter any more, or has come back too late: what an open hand-off led to cannot be known. */
export function abandon(context: CutterContext, at: number): Ended {
  return end(context, 'unknown_outcome', at, 'Polling was stopped before the cut ended.');
}

/** One sentence on how a hand-off ended, for the journal. */
export function handOffEnded(handOff: HandOff | null): Publication {
  const name = handOff?.job_name ?? 'The job';
  const detail = handOff?.detail === undefined || handOff.detail === '' ? '' : ` ${handOff.detail}`;
  const data = handOffData(handOff);
  switch (handOff?.state) {
    case 'finished': return { kind: 'finished', message: `${name} was cut.${detail}`, data };
    case 'interrupted': return { kind: 'interrupted', message: `${name} was interrupted.${detail}`, data };
    case 'rejected': return { kind: 'rejected', message: `${name} was not sent.${detail}`, data };
    default: return { kind: 'unknown_outcome', message: `Nobody knows how far ${name} was cut: look at the sheet before you scan it again.${detail}`, data };
  }
}

function doubtful(context: CutterContext, observation: Observation): Verdict {
  const label = statusLabel(observation.code);
  const ended = end(context, 'unknown_outcome', observation.at, `The service was away, and the cutter now reports ${observation.code} (${label}).`);
  return standby(observation, 'OUTCOME_UNKNOWN', 'The outcome of the last job is unknown.', ended, [status(context, observation.code)]);
}

function illegal(context: CutterContext, observation: Observation): Verdict {
  const { code, at } = observation;
  const previous = context.known_status;
  const message = `Status ${previous} (${statusLabel(previous)}) cannot become ${code} (${statusLabel(code)}): another server may be driving this cutter.`;
  const ended = end(context, 'unknown_outcome', at, message);
  return standby(observation, 'ILLEGAL_STATUS_CHANGE', message, ended, [status(context, code)]);
}

/** Out of the cycle. A scan that begins in the same moment is served all the same: it is what standby waits for. */
function standby(observation: Observation, code: string, message: string, ended: Ended, before: readonly Publication[]): Verdict {
  if (observation.code === 1) {
    const warning = { kind: 'warning', message, data: { code } };
    return { target: 'scanning', patch: { ...forgetCycle, ...ended.patch, last_error: null }, says: [...before, ...ended.says, warning] };
  }
  return {
    target: 'standby',
    patch: { ...forgetCycle, ...ended.patch, ...blame(observation, code, message) },
    says: [...before, ...ended.says, { kind: 'standby', message: `Standing by until a new scan. ${message}`, data: { code } }],
  };
}

function blame({ at }: Observation, code: string, message: string): Partial<CutterContext> {
  return { last_error: { code, message, at } };
}

function sameState(context: CutterContext): FollowedState {
  const byStatus: Readonly<Record<number, FollowedState>> = { 0: 'idle', 1: 'scanning', 2: 'listing', 3: 'selecting', 5: 'cutting', 6: 'operating' };
  if (context.known_status === 4) return isOpen(context.hand_off) ? 'sent' : 'determined';
  return byStatus[context.known_status] ?? 'standby';
}

const cutterError = (code: number): string =>
  code < 0 ? `The cutter reports the error ${code}.` : 'The cutter reports an error; it waits to be acknowledged at its panel.';
const silent = ({ detail }: Observation): string => `The cutter does not answer.${detail === undefined ? '' : ` ${detail}`}`;
const linkLost = (observation: Observation): Publication => ({ kind: 'link_lost', message: silent(observation) });
const linkRestored = (code: number): Publication => ({ kind: 'link_restored', message: `The cutter answers: ${statusLabel(code)}.`, data: { code } });
const status = (context: CutterContext, code: number): Publication =>
  ({ kind: 'status', message: statusLabel(code), data: { code, previous: context.status } });
