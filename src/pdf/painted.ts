import type { PaintedKind, PaintedObject } from './types.ts';

// Beyond this many boxes neighbours in paint order are united: the boxes stay a superset, and a page of a million
// strokes does not become a million objects.
const MAX_BOXES = 32_768;
const MAX_DESCRIPTIONS = 4096;

/** The boxes of everything the page prints. */
export class PaintedBoxes {
  private readonly boxes = new Float64Array(MAX_BOXES * 4);
  private readonly kinds: PaintedKind[] = [];
  private readonly descriptions: string[] = [];
  private readonly known = new Map<string, string>();
  private count = 0;
  /** How many objects one box stands for; grows as boxes are united. */
  private perBox = 1;
  private inLast = 0;

  add(kind: PaintedKind, x0: number, y0: number, x1: number, y1: number, description: string): void {
    if (!(x1 >= x0 && y1 >= y0)) return;
    if (this.count > 0 && this.inLast < this.perBox && this.kinds[this.count - 1] === kind) {
      this.unite(this.count - 1, x0, y0, x1, y1);
      this.inLast += 1;
      return;
    }
    if (this.count === MAX_BOXES) this.halve();
    this.boxes.set([x0, y0, x1, y1], this.count * 4);
    this.kinds[this.count] = kind;
    this.descriptions[this.count] = this.kept(description);
    this.count += 1;
    this.inLast = 1;
  }

  list(): PaintedObject[] {
    return Array.from({ length: this.count }, (_, i) => ({
      kind: this.kinds[i] ?? 'path',
      boxMm: { x0Mm: this.boxes[i * 4] ?? 0, y0Mm: this.boxes[i * 4 + 1] ?? 0, x1Mm: this.boxes[i * 4 + 2] ?? 0, y1Mm: this.boxes[i * 4 + 3] ?? 0 },
      description: this.descriptions[i] ?? '',
    }));
  }

  private kept(description: string): string {
    const known = this.known.get(description);
    if (known !== undefined) return known;
    if (this.known.size < MAX_DESCRIPTIONS) this.known.set(description, description);
    return description;
  }

  private unite(at: number, x0: number, y0: number, x1: number, y1: number): void {
    const { boxes } = this;
    boxes[at * 4] = Math.min(boxes[at * 4] ?? x0, x0);
    boxes[at * 4 + 1] = Math.min(boxes[at * 4 + 1] ?? y0, y0);
    boxes[at * 4 + 2] = Math.max(boxes[at * 4 + 2] ?? x1, x1);
    boxes[at * 4 + 3] = Math.max(boxes[at * 4 + 3] ?? y1, y1);
  }

  private halve(): void {
    const { boxes } = this;
    for (let to = 0; to < MAX_BOXES / 2; to += 1) {
      const from = to * 2;
      boxes.copyWithin(to * 4, from * 4, from * 4 + 4);
      this.kinds[to] = this.kinds[from] ?? 'path';
      this.descriptions[to] = this.descriptions[from] ?? '';
      const other = (from + 1) * 4;
      this.unite(to, boxes[other] ?? 0, boxes[other + 1] ?? 0, boxes[other + 2] ?? 0, boxes[other + 3] ?? 0);
    }
    this.count = MAX_BOXES / 2;
    this.perBox *= 2;
  }
}
