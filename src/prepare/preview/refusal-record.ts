import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Offender } from '../../sheet/index.ts';
import type { RefusedPage } from './sheet-record.ts';

/** What a picture of a refused page needs beside its PDF, as it stands on disk. */
export interface RefusalRecord {
  /** Milliseconds since 1970. */
  readonly kept_at: number;
  /** Null: nothing is known of it. */
  readonly page: RefusedPage | null;
  readonly file_name: string;
  readonly code: string;
  readonly detail: string;
  readonly cut_spot_colors: readonly string[];
  readonly offenders: readonly Offender[];
}

const Length = Type.Number({ exclusiveMinimum: 0 });
const Rect = Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()]);

const RefusedPageSchema = Type.Object({
  page_mm: Type.Tuple([Length, Length]),
  copies_mm: Type.Array(Type.Tuple([Type.Number(), Type.Number()])),
  sheet: Type.Union([Type.Null(), Type.Object({
    width_mm: Length, height_mm: Length, origin_mm: Type.Tuple([Type.Number(), Type.Number()]),
    mark_rect_mm: Rect, cut_area_mm: Rect, marks_mm: Type.Array(Rect), bars_mm: Type.Array(Rect),
    zones: Type.Array(Type.Object({ name: Type.String(), rect_mm: Rect })),
  })]),
  cut_paths: Type.Enum(['marked', 'all-strokes']),
});

const check = Compile(Type.Object({
  kept_at: Type.Number(), file_name: Type.String(), code: Type.String(), detail: Type.String(), cut_spot_colors: Type.Array(Type.String()),
  page: Type.Union([Type.Null(), RefusedPageSchema]),
  offenders: Type.Array(Type.Object({
    kind: Type.Enum(['cut-path', 'cut-content', 'artwork', 'ink']), description: Type.String(),
    boxMm: Type.Object({ x0Mm: Type.Number(), y0Mm: Type.Number(), x1Mm: Type.Number(), y1Mm: Type.Number() }),
  })),
}));

/** Null: it is no such record, or one of another release. */
export function readRefusalRecord(text: string): RefusalRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is RefusalRecord {
  return check.Check(value);
}
