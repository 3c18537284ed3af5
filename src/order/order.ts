import type { Tool, ToolPath } from '../gpgl/index.ts';
import { withoutDuplicates } from './duplicates.ts';
import { containersOf } from './nesting.ts';
import { nearestFirst, type Place } from './nearest.ts';

/** Creases before anything is loose; what cuts the sheet through comes last (pdf-cut-paths.md section 4). */
const toolOrder: readonly Tool[] = ['crease', 'perforation', 'kiss-cut', 'cut'];

export interface Ordered {
  readonly paths: readonly ToolPath[];
  readonly duplicatesRemoved: number;
}

/**
 * The order of cutting, for paths in the mark frame; the tool starts at mark 1 and may take an open path from
 * either end and a closed one from any point.
 *
 * 1. Exact duplicates are removed.
 * 2. Tools in the order crease, perforation, kiss-cut, cut.
 * 3. Within a tool a contour waits until all that lies within it is done: what is cut out moves.
 * 4. Among those that may be cut, the nearest comes next.
 *
 * Greedy: a good order, not the shortest. Within a tool only: a kiss-cut contour frees nothing.
 */
export function cuttingOrder(paths: readonly ToolPath[]): Ordered {
  const distinct = withoutDuplicates(paths);
  const ordered: ToolPath[] = [];
  let place: Place = { x: 0, y: 0 };
  for (const tool of toolOrder) {
    const group = distinct.filter((path) => path.tool === tool);
    if (group.length === 0) continue;
    const tour = nearestFirst(group, containersOf(group), place);
    ordered.push(...tour.paths);
    place = tour.end;
  }
  return { paths: ordered, duplicatesRemoved: paths.length - distinct.length };
}
