import {
  arrangeCopies, checkCopiedPoints, checkCopiesApart, isSingle, layoutSheet, repeatPaths, sheetOptionsOf, type Arrangement, type SheetChoices, type SheetFailure, type SheetLayout,
} from '../sheet/index.ts';
import type { PageReading } from '../pdf/index.ts';
import type { PrepareWarning } from './types.ts';

/** The sheet a page is to be printed as. */
export interface SheetOfPage {
  readonly layout: SheetLayout;
  /** Null: the page is the sheet. */
  readonly arrangement: Arrangement | null;
  /** Of all copies, in the frame of the sheet. */
  readonly paths: PageReading['paths'];
  readonly segmentCount: number;
  readonly warnings: readonly PrepareWarning[];
}

export type SheetOfResult =
  | { readonly ok: true; readonly sheet: SheetOfPage }
  | { readonly ok: false; readonly failure: SheetFailure };

/** The page as the sheet, or copies of it on a sheet of their own, laid out for this link info. */
export function sheetOf(reading: PageReading, linkInfo: string, choices: SheetChoices = {}): SheetOfResult {
  const options = sheetOptionsOf(choices);
  const warnings = choiceWarnings(choices);
  if (isSingle(choices)) {
    const laidOut = layoutSheet(reading, linkInfo, options);
    if (!laidOut.ok) return laidOut;
    return { ok: true, sheet: { layout: laidOut.layout, arrangement: null, paths: reading.paths, segmentCount: reading.segmentCount, warnings } };
  }
  const arranged = arrangeCopies(reading, choices, options);
  if (!arranged.ok) return arranged;
  const { arrangement } = arranged;
  const copies = arrangement.copiesMm.length;
  const failure = checkCopiedPoints(reading.paths, copies) ?? checkCopiesApart(reading.paths, reading, choices);
  if (failure !== null) return { ok: false, failure };
  const laidOut = layoutSheet(arrangement, linkInfo, options);
  if (!laidOut.ok) return laidOut;
  return {
    ok: true,
    sheet: {
      layout: laidOut.layout,
      arrangement,
      paths: repeatPaths(reading.paths, arrangement.copiesMm),
      segmentCount: reading.segmentCount * copies,
      warnings: [...warnings, ...copyWarnings(reading)],
    },
  };
}

function choiceWarnings({ markType }: SheetChoices): PrepareWarning[] {
  if (markType !== 1) return [];
  const detail = 'The marks are of type 1, their arms point outward. The Data Link was validated with type 2 only: set MARK TYPE 1 at the cutter, and try it on a sheet first.';
  return [{ code: 'MARK_TYPE_NOT_VALIDATED', detail }];
}

function copyWarnings({ warnings }: PageReading): PrepareWarning[] {
  if (!warnings.some(({ code }) => code === 'ANNOTATIONS_IGNORED')) return [];
  return [{ code: 'ANNOTATIONS_DROPPED', detail: 'The copies show the page without its annotations; make them part of the page where they are to print.' }];
}
