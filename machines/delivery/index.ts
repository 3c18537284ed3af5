import { actorKind } from '../vocabulary.ts';
import { DeliveryContext } from './context.ts';
import type { DeliveryEvent } from './events.ts';
import { deliveryMachine } from './machine.ts';

export type { Attempt, DeliveryContext } from './context.ts';
export type { DeliverInput, DeliverOutput, DeliveryEvent, DeliveryInput } from './events.ts';
export { attemptDelaysMs, nextPauseMs } from './schedule.ts';

export const deliveryKind = actorKind<typeof DeliveryContext, DeliveryEvent>({
  kind: 'delivery',
  version: 1,
  machine: deliveryMachine,
  context: DeliveryContext,
  migrations: {},
});
