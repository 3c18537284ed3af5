/** Which paths lie together within which contour, and in which turn they come. */
export interface Tree {
  /** Of each path what lies within it and nothing smaller, by turns; the last of all is what lies within nothing. Within a
   * turn the order is free; all of a turn come before the next one. */
  readonly turns: readonly (readonly Int32Array[])[];
}

/**
 * A path within several contours that only overlap (neither within the other) belongs to the smallest that contains them
 * all, and comes there in an earlier turn than they.
 */
export function treeOf(containers: readonly (readonly number[])[], areas: Float64Array): Tree {
  const count = containers.length;
  const parent = new Int32Array(count).fill(count);
  const depth = new Int32Array(count + 1);
  const bySize = Int32Array.from(areas.keys()).sort((one, other) => (areas[other] ?? 0) - (areas[one] ?? 0));
  // From the largest on: what contains a path is larger.
  for (const index of bySize) {
    const [first = count, ...others] = containers[index] ?? [];
    parent[index] = others.reduce((common, outer) => commonOf(common, outer, parent, depth), first);
    depth[index] = (depth[parent[index] ?? count] ?? 0) + 1;
  }
  const turn = new Int32Array(count);
  // From the smallest on: by then all that must come earlier has its turn.
  for (const index of bySize.reverse()) {
    const outers = containers[index] ?? [];
    if (outers.length < 2) continue;
    for (const outer of outers) {
      const sibling = climbed(outer, (depth[index] ?? 0), parent, depth);
      turn[sibling] = Math.max(turn[sibling] ?? 0, (turn[index] ?? 0) + 1);
    }
  }
  return { turns: byTurns(parent, turn) };
}

function commonOf(one: number, other: number, parent: Int32Array, depth: Int32Array): number {
  let left = one;
  let right = other;
  while (left !== right) {
    if ((depth[left] ?? 0) >= (depth[right] ?? 0)) left = parent[left] ?? left;
    else right = parent[right] ?? right;
  }
  return left;
}

/** Itself or what it lies in, at this depth. */
function climbed(index: number, wanted: number, parent: Int32Array, depth: Int32Array): number {
  let at = index;
  while ((depth[at] ?? 0) > wanted) at = parent[at] ?? at;
  return at;
}

function byTurns(parent: Int32Array, turn: Int32Array): Int32Array[][] {
  const lists: number[][][] = Array.from({ length: parent.length + 1 }, () => []);
  parent.forEach((outer, index) => {
    const turns = lists[outer] ?? [];
    const wanted = turn[index] ?? 0;
    while (turns.length <= wanted) turns.push([]);
    turns[wanted]?.push(index);
  });
  return lists.map((turns) => turns.filter((members) => members.length > 0).map((members) => Int32Array.from(members)));
}
