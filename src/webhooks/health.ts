/**
 * What is known of a receiver: the counters, the circuit, and whether it was given up. Pure.
 *
 * events = pending + delivered + dead, at every commit.
 */
import type { Attempt, DeliveryContext } from '../../machines/index.ts';
import type { KindMove } from '../runtime/index.ts';

export interface EndpointHealth {
  /** Deliveries made for it, ever. */
  readonly events: number;
  /** Neither delivered nor dead: queued, on its way, or between two attempts. */
  readonly pending: number;
  /** Of the pending ones: on their way. */
  readonly sending: number;
  readonly delivered: number;
  /** Given up; a replay takes it out again. */
  readonly dead: number;
  readonly failed_attempts: number;
  /** Delivered ones whose record is still kept. */
  readonly delivered_kept: number;
  /** Failed attempts since the last success. */
  readonly failures_in_row: number;
  /** Since when it has failed without a success and without a long silence. */
  readonly failing_since: number | null;
  readonly last_failure_at: number | null;
  readonly last_error: { readonly code: string; readonly detail: string } | null;
  readonly last_delivered_at: number | null;
  /** The receiver asked to be left alone until then (Retry-After). */
  readonly hold_until: number | null;
  readonly disabled: Disabled | null;
}

export interface Disabled {
  readonly reason: 'GONE' | 'FAILING';
  readonly at: number;
  /** Whether the journal has been told. */
  readonly announced: boolean;
}

export const newHealth: EndpointHealth = {
  events: 0, pending: 0, sending: 0, delivered: 0, dead: 0, failed_attempts: 0, delivered_kept: 0, failures_in_row: 0,
  failing_since: null, last_failure_at: null, last_error: null, last_delivered_at: null, hold_until: null, disabled: null,
};

/** Requests under way to one receiver. */
export const sendingAtOnce = 4;
/** api-decisions.md section 7: half-open circuit after 5 failures, disabled after 5 failing days. */
const failuresThatOpen = 5;
const openMs = 5 * 60_000;
const hourMs = 3_600_000;
const failingDaysMs = 5 * 24 * hourMs;
/** Longer than any pause of the schedule: then nothing was tried, which proves nothing about the receiver. */
const silenceMs = 48 * hourMs;
const longestHoldMs = 24 * hourMs;

export type Gate =
  | { readonly state: 'open'; readonly free: number }
  /** Nothing leaves for `waitMs`; then it is asked again. */
  | { readonly state: 'closed'; readonly waitMs: number }
  | { readonly state: 'disabled' };

/** How many deliveries may leave now. After an open circuit's pause one leaves alone, and decides. */
export function gateOf(health: EndpointHealth, nowMs: number): Gate {
  if (health.disabled !== null) return { state: 'disabled' };
  const heldMs = remaining(health.hold_until, nowMs, longestHoldMs);
  const isOpenCircuit = isFailing(health);
  const openUntil = isOpenCircuit && health.last_failure_at !== null ? health.last_failure_at + openMs : null;
  const waitMs = Math.max(heldMs, remaining(openUntil, nowMs, openMs));
  if (waitMs > 0) return { state: 'closed', waitMs };
  return { state: 'open', free: Math.max(0, (isOpenCircuit ? 1 : sendingAtOnce) - health.sending) };
}

/** So often in a row that its circuit is open, or half-open. */
export function isFailing({ failures_in_row }: EndpointHealth): boolean {
  return failures_in_row >= failuresThatOpen;
}

/** Zero when the moment lies further ahead than it can: the clock was set back. */
function remaining(until: number | null, nowMs: number, longestMs: number): number {
  const ms = until === null ? 0 : until - nowMs;
  return ms > longestMs ? 0 : Math.max(0, ms);
}

export type DeliveryMove = KindMove<DeliveryContext>;
export type Standing = 'queued' | 'sending' | 'waiting' | 'delivered' | 'dead';
const standings: readonly Standing[] = ['queued', 'sending', 'waiting', 'delivered', 'dead'];

export function standingOf(view: DeliveryMove['after']): Standing {
  const standing = standings.find((name) => view.matches(name));
  if (standing === undefined) throw new Error(`delivery ${view.id} stands nowhere`);
  return standing;
}

const isPending = (standing: Standing | null): boolean => standing === 'queued' || standing === 'sending' || standing === 'waiting';
const is = (condition: boolean): number => (condition ? 1 : 0);

export function followMove(health: EndpointHealth, { before, after }: DeliveryMove): EndpointHealth {
  const from = before === null ? null : standingOf(before);
  const to = standingOf(after);
  const delta = (holds: (standing: Standing | null) => boolean): number => is(holds(to)) - is(holds(from));
  const counted: EndpointHealth = {
    ...health,
    events: health.events + is(before === null),
    pending: health.pending + delta(isPending),
    sending: health.sending + delta((standing) => standing === 'sending'),
    delivered: health.delivered + delta((standing) => standing === 'delivered'),
    delivered_kept: health.delivered_kept + delta((standing) => standing === 'delivered'),
    dead: health.dead + delta((standing) => standing === 'dead'),
  };
  const wasTried = from === 'sending' && before !== null && after.context.attempts > before.context.attempts;
  if (!wasTried || after.context.last === null) return counted;
  return after.context.last.delivered ? succeeded(counted, after.context.last) : failed(counted, after.context.last);
}

function succeeded(health: EndpointHealth, { at }: Attempt): EndpointHealth {
  return { ...health, failures_in_row: 0, failing_since: null, last_delivered_at: at };
}

function failed(health: EndpointHealth, { at, code, detail, retry_after_ms }: Attempt): EndpointHealth {
  const since = failingSince(health, at);
  const isLongEnough = at - since >= failingDaysMs;
  const reason = code === 'GONE' ? 'GONE' : isLongEnough ? 'FAILING' : null;
  return {
    ...health,
    failed_attempts: health.failed_attempts + 1,
    failures_in_row: health.failures_in_row + 1,
    failing_since: since, last_failure_at: at, last_error: { code, detail },
    hold_until: retry_after_ms === null ? health.hold_until : at + Math.min(retry_after_ms, longestHoldMs),
    disabled: health.disabled ?? (reason === null ? null : { reason, at, announced: false }),
  };
}

function failingSince({ failing_since, last_failure_at }: EndpointHealth, at: number): number {
  if (failing_since === null || last_failure_at === null) return at;
  const gapMs = at - last_failure_at;
  return gapMs > silenceMs || at < failing_since ? at : failing_since;
}
