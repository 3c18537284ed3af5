import { defaultSheetOptions, type SheetChoices, type SheetOptions } from './options.ts';
import { shownMm } from './shapes.ts';

export type MeasuredChoice = Exclude<keyof SheetChoices, 'barcodeEdge' | 'markType'>;

export interface ChoiceRange {
  readonly least: number;
  readonly most: number;
  /** Where the limits come from, for people. */
  readonly why: string;
}

const largestMarginMm = 1000;

/** Sources: gpgl-and-data-link.md section 2. The upper ends of margins, gaps and copies only keep nonsense out. */
export const choiceRanges: Readonly<Record<MeasuredChoice, ChoiceRange>> = {
  marksFromSideMm: { least: 50, most: largestMarginMm, why: 'nearer to the side edges the sensor does not reach the marks (error E04017 of an FC9000)' },
  marksFromRearMm: { least: 50, most: largestMarginMm, why: 'nearer to the rear edge the sensor does not reach the marks (error E04017 of an FC9000)' },
  marksBehindBandMm: { least: 4, most: largestMarginMm, why: 'nearer to the barcode band the marks would stand in the strip that stays clear' },
  markLengthMm: { least: 4, most: 20, why: 'the arms that a cutter can be told' },
  markThicknessMm: { least: 0.3, most: 1, why: 'the lines that the sensor finds' },
  copiesX: { least: 1, most: 100, why: 'copies across the sheet' },
  copiesY: { least: 1, most: 100, why: 'copies along the feed' },
  gapXMm: { least: 0, most: largestMarginMm, why: 'between copies across the sheet' },
  gapYMm: { least: 0, most: largestMarginMm, why: 'between copies along the feed' },
};

export interface ChoiceConflict {
  readonly choice: keyof SheetChoices;
  /** A sentence a person can act on. */
  readonly detail: string;
}

/** What is wrong with choices whose values are each in their range. */
export function choiceConflicts(choices: SheetChoices): ChoiceConflict[] {
  const conflicts: ChoiceConflict[] = [];
  if (choices.barcodeEdge !== undefined && choices.barcodeEdge !== 'front') {
    conflicts.push({
      choice: 'barcodeEdge',
      detail: `A barcode at the ${choices.barcodeEdge === 'rear' ? 'rear edge' : 'rear edge too'} is not supported: nobody has measured yet from which corner `
        + 'a cutter counts its registration vector (rx, ry), and a wrong one cuts beside the print. Use front.',
    });
  }
  const options = sheetOptionsOf(choices);
  const outward = options.markType === 1;
  const neededMm = options.clearBehindBandMm + (outward ? options.armMm : options.lineMm / 2);
  if (options.marksBehindBandMm < neededMm) {
    conflicts.push({
      choice: 'marksBehindBandMm',
      detail: `${outward ? `The arms of type 1 point ${shownMm(options.armMm)} mm towards the barcode` : 'The lines of the marks come near the barcode'}: `
        + `the front marks need at least ${shownMm(neededMm)} mm to its band, not ${shownMm(options.marksBehindBandMm)} mm.`,
    });
  }
  return conflicts;
}

/** The layout of these choices. Arms that point outward move the front marks back until the barcode's strip is clear of them. */
export function sheetOptionsOf(choices: SheetChoices): SheetOptions {
  const base = defaultSheetOptions;
  const markType = choices.markType ?? base.markType;
  const armMm = choices.markLengthMm ?? base.armMm;
  const behindBandMm = markType === 1 ? Math.max(base.marksBehindBandMm, armMm + base.clearBehindBandMm) : base.marksBehindBandMm;
  return {
    ...base,
    markType,
    armMm,
    lineMm: choices.markThicknessMm ?? base.lineMm,
    marksFromSideMm: choices.marksFromSideMm ?? base.marksFromSideMm,
    marksFromRearMm: choices.marksFromRearMm ?? base.marksFromRearMm,
    marksBehindBandMm: choices.marksBehindBandMm ?? behindBandMm,
  };
}
