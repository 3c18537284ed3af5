import { shownMm, type KeepClearZone, type RectMm } from '../sheet/index.ts';
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

/** The box around what the boxes share with their zones: no more of a zone than this has to be rendered. */
export function around(suspected: readonly Suspicion[]): RectMm {
  let [x0Mm, y0Mm, x1Mm, y1Mm] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { sharedMm } of suspected) {
    x0Mm = Math.min(x0Mm, sharedMm.x0Mm);
    y0Mm = Math.min(y0Mm, sharedMm.y0Mm);
    x1Mm = Math.max(x1Mm, sharedMm.x1Mm);
    y1Mm = Math.max(y1Mm, sharedMm.y1Mm);
  }
  return { x0Mm, y0Mm, x1Mm, y1Mm };
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
