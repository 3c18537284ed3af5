import type { Tool, ToolPath } from '../gpgl/index.ts';

/** What is cut through or half through must come loose all around; a crease or a perforation would only show twice. */
const overcutTools: ReadonlySet<Tool> = new Set<Tool>(['cut', 'kiss-cut']);

/** Of a small contour no more than this share is cut twice. */
const mostOfContour = 0.25;

/**
 * A closed contour that goes on over its own beginning: a blade trails behind its axis, so without it the last bit may hold. The
 * result is an open path: around once, back to the first point, and on along the contour for this length.
 */
export function withOvercut(path: ToolPath, overcutMm: number): ToolPath {
  if (!path.closed || overcutMm <= 0 || path.pointsMm.length < 4 || !overcutTools.has(path.tool)) return path;
  const { pointsMm } = path;
  const count = pointsMm.length / 2;
  let left = Math.min(overcutMm, lengthMm(pointsMm) * mostOfContour);
  if (left === 0) return path;
  const beyond: number[] = [];
  for (let point = 0; point < count && left > 0; point++) {
    const at = point * 2;
    const to = point + 1 === count ? 0 : at + 2;
    const deltaX = (pointsMm[to] ?? 0) - (pointsMm[at] ?? 0);
    const deltaY = (pointsMm[to + 1] ?? 0) - (pointsMm[at + 1] ?? 0);
    const piece = Math.hypot(deltaX, deltaY);
    if (piece === 0) continue;
    // A corner itself, not what comes out for it: the same coordinates fall on the same step.
    if (left >= piece) beyond.push(pointsMm[to] ?? 0, pointsMm[to + 1] ?? 0);
    else beyond.push((pointsMm[at] ?? 0) + (deltaX * left) / piece, (pointsMm[at + 1] ?? 0) + (deltaY * left) / piece);
    left -= piece;
  }
  const points = new Float64Array(pointsMm.length + 2 + beyond.length);
  points.set(pointsMm);
  points.set([pointsMm[0] ?? 0, pointsMm[1] ?? 0], pointsMm.length);
  points.set(beyond, pointsMm.length + 2);
  return { tool: path.tool, closed: false, pointsMm: points };
}

function lengthMm(pointsMm: Float64Array): number {
  let total = 0;
  let x = pointsMm[pointsMm.length - 2] ?? 0;
  let y = pointsMm[pointsMm.length - 1] ?? 0;
  for (let at = 0; at + 1 < pointsMm.length; at += 2) {
    total += Math.hypot((pointsMm[at] ?? 0) - x, (pointsMm[at + 1] ?? 0) - y);
    x = pointsMm[at] ?? 0;
    y = pointsMm[at + 1] ?? 0;
  }
  return total;
}
