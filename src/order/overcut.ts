import { PathsWriter, type Tool, type ToolPaths } from '../gpgl/index.ts';

/** What is cut through or half through must come loose all around; a crease or a perforation would only show twice. */
const overcutTools: ReadonlySet<Tool> = new Set<Tool>(['cut', 'kiss-cut']);

/** Of a small contour no more than this share is cut twice. */
const mostOfContour = 0.25;

/**
 * Closed contours that go on over their own beginning: a blade trails behind its axis, so without it the last bit may hold. Each
 * becomes an open path: around once, back to the first point, and on along the contour for this length.
 */
export function withOvercut(paths: ToolPaths, overcutMm: number): ToolPaths {
  if (overcutMm <= 0) return paths;
  const { count, tools, closed, first, pointsMm } = paths;
  const writer = new PathsWriter(count, pointsMm.length / 2 + 4 * count);
  for (let path = 0; path < count; path++) {
    const tool = tools[path] ?? 'cut';
    const start = (first[path] ?? 0) * 2;
    const end = (first[path + 1] ?? 0) * 2;
    const isClosed = closed[path] === 1;
    writer.points(pointsMm, start, end);
    const hasOvercut = isClosed && end - start >= 4 && overcutTools.has(tool) && writeOvercut(writer, pointsMm, start, end, overcutMm);
    writer.end(tool, isClosed && !hasOvercut);
  }
  return writer.take();
}

/** False: the contour has no length. */
function writeOvercut(writer: PathsWriter, pointsMm: Float64Array, start: number, end: number, overcutMm: number): boolean {
  let left = Math.min(overcutMm, lengthMm(pointsMm, start, end) * mostOfContour);
  if (left === 0) return false;
  writer.point(pointsMm[start] ?? 0, pointsMm[start + 1] ?? 0);
  for (let at = start; at < end && left > 0; at += 2) {
    const to = at + 2 === end ? start : at + 2;
    const deltaX = (pointsMm[to] ?? 0) - (pointsMm[at] ?? 0);
    const deltaY = (pointsMm[to + 1] ?? 0) - (pointsMm[at + 1] ?? 0);
    const piece = Math.hypot(deltaX, deltaY);
    if (piece === 0) continue;
    // A corner itself, not what comes out for it: the same coordinates fall on the same step.
    if (left >= piece) writer.point(pointsMm[to] ?? 0, pointsMm[to + 1] ?? 0);
    else writer.point((pointsMm[at] ?? 0) + (deltaX * left) / piece, (pointsMm[at + 1] ?? 0) + (deltaY * left) / piece);
    left -= piece;
  }
  return true;
}

function lengthMm(pointsMm: Float64Array, start: number, end: number): number {
  let total = 0;
  let x = pointsMm[end - 2] ?? 0;
  let y = pointsMm[end - 1] ?? 0;
  for (let at = start; at < end; at += 2) {
    total += Math.hypot((pointsMm[at] ?? 0) - x, (pointsMm[at + 1] ?? 0) - y);
    x = pointsMm[at] ?? 0;
    y = pointsMm[at + 1] ?? 0;
  }
  return total;
}
