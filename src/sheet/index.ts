/** The printed sheet: marks, barcode, keep-clear zones, and the frame the cutter counts in. Pure. */
export { checkCharacter, code39Text, isLinkInfo } from './code39.ts';
export { defaultSheetOptions, markType } from './options.ts';
export type { BarcodeEdge, MarkType, SheetChoices, SheetOptions } from './options.ts';
export { choiceConflicts, choiceRanges, sheetOptionsOf } from './choices.ts';
export type { ChoiceConflict, ChoiceRange, MeasuredChoice } from './choices.ts';
export { arrangeCopies, checkCopiedPoints, checkCopiesApart, isSingle, repeatPaths } from './arrange.ts';
export type { ArrangeResult, Arrangement } from './arrange.ts';
export { keepClearZones, layoutSheet, overlayOf } from './layout.ts';
export type { KeepClearZone, LayoutResult, RegistrationVector, SheetLayout, SheetSize } from './layout.ts';
export { markToPage, pageToMark, toMarkFrame } from './frame.ts';
export type { MarkFramePoint } from './frame.ts';
export { checkCutInside, leavingPaths } from './inside.ts';
export type { Leaving, Offence } from './inside.ts';
export { shownMm } from './shapes.ts';
export type { Offender, PointMm, RectMm, SheetFailure, SheetFailureCode, SheetOverlay, TextMm } from './shapes.ts';
