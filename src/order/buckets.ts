/** Items by bucket: those of bucket b are `slots[first[b]]` to `slots[end[b] − 1]`, in the order of the items. */
export interface Buckets {
  readonly mask: number;
  readonly first: Int32Array;
  readonly end: Int32Array;
  readonly slots: Int32Array;
}

/** Points by the cells they are in: a table with about half as many items as buckets. */
export function inBuckets(x: Float64Array, y: Float64Array, cellSize: number): Buckets {
  const count = x.length;
  const mask = 2 ** Math.ceil(Math.log2(Math.max(1, count) * 2)) - 1;
  const bucket = new Int32Array(count);
  const first = new Int32Array(mask + 1);
  const end = new Int32Array(mask + 1);
  for (let item = 0; item < count; item++) {
    const at = bucketOf(Math.floor((x[item] ?? 0) / cellSize), Math.floor((y[item] ?? 0) / cellSize), mask);
    bucket[item] = at;
    end[at] = (end[at] ?? 0) + 1;
  }
  for (let at = 0, before = 0; at <= mask; at++) {
    const here = end[at] ?? 0;
    first[at] = before;
    end[at] = before;
    before += here;
  }
  const slots = new Int32Array(count);
  for (let item = 0; item < count; item++) {
    const at = bucket[item] ?? 0;
    const slot = end[at] ?? 0;
    slots[slot] = item;
    end[at] = slot + 1;
  }
  return { mask, first, end, slots };
}

/** Of a cell of an endless grid. Cells that are far from each other may share a bucket; those of a block of 4 × 4 stand side by
 * side, so that looking around costs one walk to memory, not one for each cell. */
export function bucketOf(column: number, row: number, mask: number): number {
  const mixed = Math.imul(column >> 2, 0x9e3779b1) ^ Math.imul(row >> 2, 0x85ebca6b);
  return (((mixed ^ (mixed >>> 15)) << 4) | ((row & 3) << 2) | (column & 3)) & mask;
}
