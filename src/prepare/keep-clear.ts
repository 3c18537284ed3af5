import { shownMm, type KeepClearZone, type Offender, type RectMm } from '../sheet/index.ts';
import type { PaintedObject } from '../pdf/index.ts';

/** A painted box that reaches into a zone; whether it inks it is for the rendering to say. */
export interface Suspicion {
  readonly zone: KeepClearZone;
  readonly object: PaintedObject;
  /** What the box and the zone have in common. */
  readonly sharedMm: RectMm;
}

/** Boxes that only meet an edge, but for this, do not reach into it. */
const toleranceMm = 0.01;

export function suspicions(painted: readonly PaintedObject[], zones: readonly KeepClearZone[]): Suspicion[] {
  return zones.flatMap((zone) => painted.flatMap((object) => {
    const sharedMm = shared(object.boxMm, zone.rectMm);
    return sharedMm === null ? [] : [{ zone, object, sharedMm }];
  }));
}

/** So much more is rendered around what is suspected: a renderer leaves out pixels that are in a region only in part. */
const marginMm = 1;

/** The part of a zone that has to be rendered. */
export function around(zone: KeepClearZone, suspected: readonly Suspicion[]): RectMm {
  const here = suspected.filter((each) => each.zone === zone).map(({ sharedMm }) => sharedMm);
  const { x0Mm, y0Mm, x1Mm, y1Mm } = zone.rectMm;
  return {
    x0Mm: Math.max(x0Mm, least(here, (each) => each.x0Mm) - marginMm),
    y0Mm: Math.max(y0Mm, least(here, (each) => each.y0Mm) - marginMm),
    x1Mm: Math.min(x1Mm, marginMm - least(here, (each) => -each.x1Mm)),
    y1Mm: Math.min(y1Mm, marginMm - least(here, (each) => -each.y1Mm)),
  };
}

function least(rects: readonly RectMm[], side: (each: RectMm) => number): number {
  return rects.reduce((best, each) => Math.min(best, side(each)), Infinity);
}

/** More would hide the page they are marked on. */
const mostOffenders = 50;

/** What is to blame for ink in zones, and where the ink is. */
export function artworkOffenders(inked: readonly { readonly zone: KeepClearZone; readonly inkMm: RectMm; readonly inZone: readonly Suspicion[] }[]): Offender[] {
  const ink = inked.map(({ zone, inkMm }): Offender => ({ kind: 'ink', description: `Ink in ${zone.name}`, boxMm: inkMm }));
  const objects = new Set(inked.flatMap(({ inkMm, inZone }) => inZone.filter(({ sharedMm }) => shared(sharedMm, inkMm) !== null).map(({ object }) => object)));
  const artwork = [...objects].slice(0, mostOffenders).map(({ description, boxMm }): Offender => ({ kind: 'artwork', description, boxMm }));
  return [...ink, ...artwork];
}

export function shared(one: RectMm, other: RectMm): RectMm | null {
  const x0Mm = Math.max(one.x0Mm, other.x0Mm);
  const y0Mm = Math.max(one.y0Mm, other.y0Mm);
  const x1Mm = Math.min(one.x1Mm, other.x1Mm);
  const y1Mm = Math.min(one.y1Mm, other.y1Mm);
  return x1Mm - x0Mm > toleranceMm && y1Mm - y0Mm > toleranceMm ? { x0Mm, y0Mm, x1Mm, y1Mm } : null;
}

/** For people: "x 10 to 30, y 5 to 20 mm". */
export function shownRect({ x0Mm, y0Mm, x1Mm, y1Mm }: RectMm): string {
  return `x ${shownMm(x0Mm)} to ${shownMm(x1Mm)}, y ${shownMm(y0Mm)} to ${shownMm(y1Mm)} mm`;
}
