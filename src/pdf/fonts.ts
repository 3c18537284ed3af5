import type { ObjectStore } from './object-store.ts';
import type { PdfObject } from './objects.ts';
import { PdfDict, PdfRef, isArray } from './objects.ts';
import type { Box, Matrix } from './matrix.ts';
import { toBox, toMatrix } from './matrix.ts';

/** As much of a font as a box around its text needs. Widths and heights in text space units of size 1. */
export interface Font {
  readonly type3: Type3Glyphs | null;
  readonly bytesPerCode: 1 | 2;
  readonly ascent: number;
  readonly descent: number;
  readonly vertical: boolean;
  width(code: number): number;
}

/** The glyphs of a Type 3 font. Their extent is known once they were looked at: the FontBBox of such fonts is seldom right. */
export class Type3Glyphs {
  readonly dict: PdfDict;
  readonly matrix: Matrix;
  /** In glyph space; null while nothing is known of them or they paint nothing. */
  extent: Box | null = null;

  constructor(dict: PdfDict, matrix: Matrix) {
    this.dict = dict;
    this.matrix = matrix;
  }
}

// Without metrics a box errs on the large side: the renderer then decides.
const WIDE = 1;
const TALL = 1.1;
const DEEP = 0.4;

const UNKNOWN_FONT: Font = { type3: null, bytesPerCode: 1, ascent: TALL, descent: -DEEP, vertical: false, width: () => WIDE };

export class FontReader {
  private readonly known = new Map<PdfObject, Font>();
  private readonly store: ObjectStore;

  constructor(store: ObjectStore) {
    this.store = store;
  }

  /** A font that is missing is no reason for viewers to show nothing. */
  named(name: string, resources: PdfDict): Font {
    const fonts = this.store.dict(resources, 'Font');
    const entry = fonts === null ? null : fonts.get(name);
    return (entry === null ? null : this.font(entry)) ?? UNKNOWN_FONT;
  }

  font(object: PdfObject): Font | null {
    const dict = this.store.resolve(object);
    if (!(dict instanceof PdfDict)) return null;
    const known = this.known.get(dict);
    if (known !== undefined) return known;
    const subtype = this.store.name(dict, 'Subtype');
    const font = subtype === 'Type0' ? this.composite(dict) : subtype === 'Type3' ? this.type3(dict) : this.simple(dict);
    this.known.set(dict, font);
    return font;
  }

  private simple(dict: PdfDict): Font {
    const descriptor = this.store.dict(dict, 'FontDescriptor');
    const first = this.store.number(dict, 'FirstChar') ?? 0;
    const widths = this.store.numbers(dict, 'Widths');
    const base = this.store.name(dict, 'BaseFont') ?? '';
    const missing = widths === null ? (base.includes('Courier') ? 0.6 : WIDE) : (descriptor === null ? null : this.store.number(descriptor, 'MissingWidth') ?? 0) ?? 0;
    return {
      type3: null,
      bytesPerCode: 1,
      ...this.heights(descriptor),
      vertical: false,
      width: (code) => {
        const width = widths?.[code - first];
        return width === undefined ? (widths === null ? missing : missing / 1000) : width / 1000;
      },
    };
  }

  private heights(descriptor: PdfDict | null): { ascent: number; descent: number } {
    const box = descriptor === null ? null : toBox(this.store.numbers(descriptor, 'FontBBox'));
    // Many fonts state a box that is too small; too large a box only leaves the question to the renderer.
    if (box === null || box.y1 - box.y0 > 5000) return { ascent: TALL, descent: -DEEP };
    return { ascent: Math.max(TALL, box.y1 / 1000), descent: Math.min(-DEEP, box.y0 / 1000) };
  }

  private type3(dict: PdfDict): Font {
    const matrix = toMatrix(this.store.numbers(dict, 'FontMatrix') ?? [0.001, 0, 0, 0.001, 0, 0]);
    const first = this.store.number(dict, 'FirstChar') ?? 0;
    const widths = this.store.numbers(dict, 'Widths') ?? [];
    const type3 = new Type3Glyphs(dict, matrix);
    return { type3, bytesPerCode: 1, ascent: TALL, descent: -DEEP, vertical: false, width: (code) => (widths[code - first] ?? 0) * matrix[0] };
  }

  private composite(dict: PdfDict): Font {
    const descendants = this.store.array(dict, 'DescendantFonts');
    const descendant = this.store.resolve(descendants?.[0] ?? null);
    const cid = descendant instanceof PdfDict ? descendant : new PdfDict();
    const byCid = this.cidWidths(cid);
    const standard = (this.store.number(cid, 'DW') ?? 1000) / 1000;
    const encoding = this.store.name(dict, 'Encoding');
    const descriptor = this.store.dict(cid, 'FontDescriptor');
    const identity = encoding === 'Identity-H' || encoding === 'Identity-V';
    return {
      type3: null,
      bytesPerCode: 2,
      ...this.heights(descriptor),
      vertical: encoding?.endsWith('-V') ?? false,
      // Codes of other CMaps are not mapped to CIDs: the standard width is right for most of their glyphs.
      width: (code) => (identity ? (byCid.get(code) ?? standard) : Math.max(standard, WIDE)),
    };
  }

  private cidWidths(cid: PdfDict): Map<number, number> {
    const widths = new Map<number, number>();
    const list = this.store.array(cid, 'W') ?? [];
    // Ranges may overlap without end in a hostile file: what is set is counted, not what remains.
    let set = 0;
    for (let i = 0; i + 1 < list.length && set < 262_144; ) {
      const first = this.store.resolve(list[i] ?? null);
      const second = this.store.resolve(list[i + 1] ?? null);
      if (typeof first !== 'number') break;
      if (isArray(second)) {
        for (const [k, item] of second.entries()) {
          const width = item instanceof PdfRef ? this.store.resolve(item) : item;
          if (typeof width === 'number') widths.set(first + k, width / 1000);
        }
        set += second.length + 1;
        i += 2;
        continue;
      }
      const width = this.store.resolve(list[i + 2] ?? null);
      if (typeof second !== 'number' || typeof width !== 'number') break;
      for (let code = first; code <= Math.min(second, first + 65535); code += 1) widths.set(code, width / 1000);
      set += Math.max(1, Math.min(second - first, 65535));
      i += 3;
    }
    return widths;
  }
}
