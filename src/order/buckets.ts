/** Items by bucket: those of bucket b are `slots[first[b]]` to `slots[first[b + 1] − 1]`, in the order of the items. */
export interface Buckets {
  readonly mask: number;
  readonly first: Int32Array;
  readonly slots: Int32Array;
}

/** A table with about half as many items as buckets. */
export function inBuckets(count: number, columnOf: (item: number) => number, rowOf: (item: number) => number): Buckets {
  const mask = 2 ** Math.ceil(Math.log2(Math.max(1, count) * 2)) - 1;
  const bucket = new Int32Array(count);
  const first = new Int32Array(mask + 2);
  for (let item = 0; item < count; item++) {
    const at = bucketOf(columnOf(item), rowOf(item), mask);
    bucket[item] = at;
    first[at + 1] = (first[at + 1] ?? 0) + 1;
  }
  for (let at = 1; at < first.length; at++) first[at] = (first[at] ?? 0) + (first[at - 1] ?? 0);
  const next = first.slice();
  const slots = new Int32Array(count);
  for (let item = 0; item < count; item++) {
    const at = bucket[item] ?? 0;
    const slot = next[at] ?? 0;
    slots[slot] = item;
    next[at] = slot + 1;
  }
  return { mask, first, slots };
}

/** Of a cell of an endless grid. Cells that are far from each other may share a bucket. */
export function bucketOf(column: number, row: number, mask: number): number {
  const mixed = Math.imul(column, 0x9e3779b1) ^ Math.imul(row, 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) & mask;
}
