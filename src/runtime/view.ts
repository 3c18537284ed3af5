import type { Static, TSchema } from 'typebox';
import type { ActorKind } from '../../machines/index.ts';
import type { ActorRecord } from './records.ts';

/** An actor as it stands on disk. */
export interface ActorView<Context> {
  readonly id: string;
  readonly context: Context;
  /** Whether the actor is in this state: "polling", "polling.standby". */
  matches(state: string): boolean;
}

export function toView<C extends TSchema>(kind: ActorKind<C>, id: string, record: Pick<ActorRecord, 'value' | 'context'>): ActorView<Static<C>> {
  if (!kind.isContext(record.context)) throw new Error(`the context of ${kind.kind}/${id} does not have the shape of its kind`);
  const { context, value } = record;
  return { id, context, matches: (state) => isIn(value, state.split('.')) };
}

function isIn(value: unknown, [head = '', ...rest]: readonly string[]): boolean {
  if (typeof value === 'string') return value === head && rest.length === 0;
  if (typeof value !== 'object' || value === null) return false;
  const inner = Object.entries(value).find(([name]) => name === head);
  return inner !== undefined && (rest.length === 0 || isIn(inner[1], rest));
}
