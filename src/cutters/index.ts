/** The poll loop of every cutter, and the hand-over of a job. */
export { createFleet, type CutterState, type Fleet, type FleetOptions } from './fleet.ts';
export type { AcquireLock } from './control.ts';
export type { InfoFailure, InfoResult } from './info.ts';
export { handOverEffect, type HandOverOptions } from './hand-over.ts';
export { createLinks, type CutterLink, type CutterLinks, type CutterToConnect, type LinkOptions, type LinksResult } from './links.ts';
