/** Remembers which messages an actor has taken, for a week, so that a repeated one has no second effect. */
import { put, remove, type Reader, type Write } from '../store/index.ts';
import { inbox, inboxAges, refName, type ActorRef } from './records.ts';

const keptMs = 7 * 24 * 3600 * 1000;
/** Old rows that each new one takes along: an idle service writes nothing, a busy one keeps up. */
const sweptPerMessage = 2;

export function planInbox(read: Reader, ref: ActorRef, messageId: string, at: number): { known: boolean; writes: Write[] } {
  const name = refName(ref);
  if (read.get(inbox, [name, messageId]) !== undefined) return { known: true, writes: [] };
  const old = read.range(inboxAges, { start: [0], end: [at - keptMs], limit: sweptPerMessage });
  const swept = old.flatMap(({ key }) => [remove(inboxAges, key), remove(inbox, key.slice(1))]);
  return { known: false, writes: [...swept, put(inbox, [name, messageId], { at }), put(inboxAges, [at, name, messageId], true)] };
}
