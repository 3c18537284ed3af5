import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const Rect = Type.Tuple([Type.Number(), Type.Number(), Type.Number(), Type.Number()]);

/** What a picture of a refused page needs beside its PDF, as it stands on disk. Millimetres, page frame. */
export const RefusalRecord = Type.Object({
  /** Milliseconds since 1970. */
  kept_at: Type.Number(),
  file_name: Type.String(),
  code: Type.String(),
  detail: Type.String(),
  cut_spot_colors: Type.Array(Type.String()),
  width_mm: Type.Number({ exclusiveMinimum: 0 }),
  height_mm: Type.Number({ exclusiveMinimum: 0 }),
  /** Null: the page has no room for a layout. */
  sheet: Type.Union([Type.Null(), Type.Object({
    width_mm: Type.Number(), height_mm: Type.Number(), origin_mm: Type.Tuple([Type.Number(), Type.Number()]),
    mark_rect_mm: Rect, cut_area_mm: Rect, marks_mm: Type.Array(Rect), bars_mm: Type.Array(Rect),
    zones: Type.Array(Type.Object({ name: Type.String(), rect_mm: Rect })),
  })]),
  offenders: Type.Array(Type.Object({
    kind: Type.Enum(['cut-path', 'artwork', 'ink']), description: Type.String(),
    boxMm: Type.Object({ x0Mm: Type.Number(), y0Mm: Type.Number(), x1Mm: Type.Number(), y1Mm: Type.Number() }),
  })),
});

export type RefusalRecord = Static<typeof RefusalRecord>;

const check = Compile(RefusalRecord);

/** Null: it is no such record, or one of another release. */
export function readRefusalRecord(text: string): RefusalRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return check.Check(value) ? value : null;
  } catch {
    return null;
  }
}
