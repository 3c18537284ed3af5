import { cutterKind } from './cutter/index.ts';
import { deliveryKind } from './delivery/index.ts';
import { hotFolderKind } from './hot-folder/index.ts';
import type { ActorKind } from './vocabulary.ts';

/** Every kind of actor of the service, by its name. */
export const registry: ReadonlyMap<string, ActorKind> = new Map<string, ActorKind>([[cutterKind.kind, cutterKind], [deliveryKind.kind, deliveryKind], [hotFolderKind.kind, hotFolderKind]]);
