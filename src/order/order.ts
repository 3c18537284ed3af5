import { concatenated, selectedPaths, type Tool, type ToolPaths } from '../gpgl/index.ts';
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
  readonly paths: ToolPaths;
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
export function cuttingOrder(paths: ToolPaths, { joinToleranceMm, overcutMm }: OrderOptions = defaultOrderOptions): Ordered {
  const drawn = selectedWhere(paths, (index) => (paths.first[index + 1] ?? 0) - (paths.first[index] ?? 0) > 0);
  const distinct = withoutDuplicates(drawn);
  const whole = joined(distinct, joinToleranceMm);
  // A contour drawn in pieces may lie on one drawn whole.
  const once = whole.count < distinct.count ? withoutDuplicates(whole) : whole;
  return {
    paths: withOvercut(shortest(groupsOf(once)), overcutMm),
    duplicatesRemoved: drawn.count - distinct.count + whole.count - once.count,
    joined: distinct.count - whole.count,
  };
}

function selectedWhere(paths: ToolPaths, isWanted: (index: number) => boolean): ToolPaths {
  const wanted = new Int32Array(paths.count);
  let count = 0;
  for (let index = 0; index < paths.count; index++) if (isWanted(index)) wanted[count++] = index;
  return count === paths.count ? paths : selectedPaths(paths, wanted.subarray(0, count));
}

function shortest(groups: readonly Group[]): ToolPaths {
  const shortened = inTurn(groups, shortenedTour);
  // Within one tool it cannot have become longer; but where one tool ends is where the next begins.
  if (groups.length < 2) return shortened;
  const greedy = inTurn(groups, greedyTour);
  return travelMm(greedy) < travelMm(shortened) ? greedy : shortened;
}

/** Nearest first alone: what the order is measured against. */
export function nearestFirstOrder(paths: ToolPaths): ToolPaths {
  return inTurn(groupsOf(paths), greedyTour);
}

interface Group {
  readonly group: ToolPaths;
  readonly containers: Containers;
}

function groupsOf(paths: ToolPaths): readonly Group[] {
  const used = toolOrder.filter((tool) => paths.tools.includes(tool));
  const groups = used.length === 1 ? [paths] : used.map((tool) => selectedWhere(paths, (index) => paths.tools[index] === tool));
  return groups.map((group) => ({ group, containers: containersOf(group) }));
}

function inTurn(groups: readonly Group[], tourOf: (paths: ToolPaths, containers: Containers, from: Place, to: Place | null) => Tour): ToolPaths {
  const ordered: ToolPaths[] = [];
  let place = home;
  groups.forEach(({ group, containers }, index) => {
    const tour = tourOf(group, containers, place, index === groups.length - 1 ? home : null);
    ordered.push(tour.paths);
    place = tour.end;
  });
  return concatenated(ordered);
}

/** The way with the tool raised, from mark 1 through all paths and back. */
export function travelMm({ count, first, closed, pointsMm }: ToolPaths): number {
  let { x, y } = home;
  let total = 0;
  for (let index = 0; index < count; index++) {
    const start = (first[index] ?? 0) * 2;
    total += Math.hypot((pointsMm[start] ?? 0) - x, (pointsMm[start + 1] ?? 0) - y);
    const last = closed[index] === 1 ? start : (first[index + 1] ?? 0) * 2 - 2;
    x = pointsMm[last] ?? 0;
    y = pointsMm[last + 1] ?? 0;
  }
  return total + Math.hypot(x, y);
}
