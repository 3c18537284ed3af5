import type { Tool, ToolPath } from '../gpgl/index.ts';
import { withoutDuplicates } from './duplicates.ts';
import { joined } from './joins.ts';
import { containersOf } from './nesting.ts';
import { withOvercut } from './overcut.ts';
import type { Place } from './stops.ts';
import { greedyTour, shortenedTour, type Containers, type Tour } from './tour.ts';

/** Creases before anything is loose; what cuts the sheet through comes last (pdf-cut-paths.md section 4). */
const toolOrder: readonly Tool[] = ['crease', 'perforation', 'kiss-cut', 'cut'];

/** Mark 1, where the tool comes from and goes back to. */
const home: Place = { x: 0, y: 0 };

export interface OrderOptions {
  /** Ends of open paths that are no further apart belong together. 0: only those in the same place. */
  readonly joinToleranceMm: number;
  /** Closed contours are cut on over their beginning for this length; 0: they end where they began. */
  readonly overcutMm: number;
}

export const defaultOrderOptions: OrderOptions = { joinToleranceMm: 0.02, overcutMm: 0 };

export interface Ordered {
  readonly paths: readonly ToolPath[];
  readonly duplicatesRemoved: number;
  /** How many paths fewer there are because ends touched. */
  readonly joined: number;
}

/**
 * The order of cutting, for paths in the mark frame; the tool starts at mark 1 and returns there. It may take an open path
 * from either end and a closed one from any point.
 *
 * 1. Exact duplicates are removed, and open paths whose ends touch become one.
 * 2. Tools in the order crease, perforation, kiss-cut, cut.
 * 3. Within a tool a contour comes after all that lies within it: what is cut out moves.
 * 4. Within that, nearest first, then shortened; never longer than nearest first alone.
 * 5. Closed contours get their overcut.
 *
 * Containment counts within a tool only: a kiss-cut contour frees nothing. The same paths give the same order, to the byte.
 * Nothing is cut twice but the overcut; paths that overlap in part are left as they are.
 */
export function cuttingOrder(paths: readonly ToolPath[], { joinToleranceMm, overcutMm }: OrderOptions = defaultOrderOptions): Ordered {
  const drawn = paths.filter(({ pointsMm }) => pointsMm.length >= 2);
  const distinct = withoutDuplicates(drawn);
  const whole = joined(distinct, joinToleranceMm);
  // A contour drawn in pieces may lie on one drawn whole.
  const once = whole.length < distinct.length ? withoutDuplicates(whole) : whole;
  const ordered = shortest(groupsOf(once));
  return {
    paths: overcutMm > 0 ? ordered.map((path) => withOvercut(path, overcutMm)) : ordered,
    duplicatesRemoved: drawn.length - distinct.length + whole.length - once.length,
    joined: distinct.length - whole.length,
  };
}

function shortest(groups: readonly Group[]): readonly ToolPath[] {
  const shortened = inTurn(groups, shortenedTour);
  // Within one tool it cannot have become longer; but where one tool ends is where the next begins.
  if (groups.length < 2) return shortened;
  const greedy = inTurn(groups, greedyTour);
  return travelMm(greedy) < travelMm(shortened) ? greedy : shortened;
}

/** Nearest first alone: what the order is measured against. */
export function nearestFirstOrder(paths: readonly ToolPath[]): readonly ToolPath[] {
  return inTurn(groupsOf(paths), greedyTour);
}

interface Group {
  readonly group: readonly ToolPath[];
  readonly containers: Containers;
}

function groupsOf(paths: readonly ToolPath[]): readonly Group[] {
  const groups = toolOrder.map((tool) => paths.filter((path) => path.tool === tool)).filter(({ length }) => length > 0);
  return groups.map((group) => ({ group, containers: containersOf(group) }));
}

function inTurn(groups: readonly Group[], tourOf: (paths: readonly ToolPath[], containers: Containers, from: Place, to: Place | null) => Tour): readonly ToolPath[] {
  const ordered: (readonly ToolPath[])[] = [];
  let place = home;
  groups.forEach(({ group, containers }, index) => {
    const tour = tourOf(group, containers, place, index === groups.length - 1 ? home : null);
    ordered.push(tour.paths);
    place = tour.end;
  });
  return ordered.length === 1 ? ordered[0] ?? [] : ordered.flat();
}

/** The way with the tool raised, from mark 1 through all paths and back. */
export function travelMm(paths: readonly ToolPath[]): number {
  let { x, y } = home;
  let total = 0;
  for (const { pointsMm, closed } of paths) {
    total += Math.hypot((pointsMm[0] ?? 0) - x, (pointsMm[1] ?? 0) - y);
    const last = closed ? 0 : pointsMm.length - 2;
    x = pointsMm[last] ?? 0;
    y = pointsMm[last + 1] ?? 0;
  }
  return total + Math.hypot(x, y);
}
