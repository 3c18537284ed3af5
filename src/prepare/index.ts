/** Print PDF → marked PDF and cut job. Importing this loads no PDF library: those live in the worker. */
export { createPreparer } from './preparer.ts';
export type { Preparer, PreparerClock, PreparerOptions, PreparerStatus } from './preparer.ts';
export { createJobImport, defaultVector, type CutPdfImportResult, type CutPdfToImport, type JobImport, type SequenceToImport } from './job-import.ts';
export type {
  CutImportResult, CutJob, CutPdf, ImportedCut, PreparedSheet, PrepareInput, PrepareRefusal, PrepareRefusalCode, PrepareResult, PrepareWarning, PrepareWarningCode,
} from './types.ts';
export { PreflightReportSchema, type PreflightReport } from './preflight-schema.ts';
export { createPictures, type PictureLinks, type Pictures, type RefusedFile } from './preview/pictures.ts';
export { createRefusalShelf, type RefusalShelf } from './preview/refusal-shelf.ts';
export type { Picture, PictureFormat, PictureResult } from './preview/types.ts';
export { readMaterials, type Materials, type MaterialsResult } from './materials.ts';
export { createPrintPreparation } from './print-preparation.ts';
export type { PrintInspectionResult, PrintPreparation, PrintPreparationRefusal, PrintPreparationResult, PrintToPrepare } from './print-preparation.ts';
export type { OrderOptions } from '../order/index.ts';
export { choiceConflicts, choiceRanges, type MeasuredChoice, type SheetChoices } from '../sheet/index.ts';
