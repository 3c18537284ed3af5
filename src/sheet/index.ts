/** The printed sheet: marks, barcode, keep-clear zones, and the frame the cutter counts in. Pure. */
export { checkCharacter, code39Text, isLinkInfo } from './code39.ts';
export { defaultSheetOptions, markType } from './options.ts';
export type { SheetOptions } from './options.ts';
export { keepClearZones, layoutSheet, overlayOf } from './layout.ts';
export type { KeepClearZone, LayoutResult, RegistrationVector, SheetLayout, SheetSize } from './layout.ts';
export { markToPage, pageToMark, toMarkFrame } from './frame.ts';
export type { MarkFramePoint } from './frame.ts';
export { checkCutInside } from './inside.ts';
export { shownMm, touches } from './shapes.ts';
export type { Offender, PointMm, RectMm, SheetFailure, SheetFailureCode, SheetOverlay, TextMm } from './shapes.ts';
