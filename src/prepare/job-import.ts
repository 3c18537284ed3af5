/**
 * Cut jobs that come from outside: a finished command sequence, or a PDF that holds nothing but the cut.
 *
 * Guarantee: when an import succeeds, the job is on disk, its sequence byte for byte; when it is refused, nothing is left.
 * The caller has checked names, codes and vectors of a sequence; those of a PDF are checked here.
 */
import { previewCommands, type StepsPerMm } from '../gpgl/index.ts';
import { isJobName, jobNameFromFile, type JobLibrary, type JobRecord, type RegistrationVector } from '../jobs/index.ts';
import type { OrderOptions } from '../order/index.ts';
import { previewedCommands } from './job-geometry.ts';
import { measureSequence } from './measure.ts';
import type { Preparer } from './preparer.ts';
import type { PrepareRefusal } from './types.ts';

export interface SequenceToImport {
  readonly name: string;
  readonly linkInfo: string;
  /** 0 GP-GL, 1 HP-GL: kept and handed over as it is. */
  readonly commandType: number;
  readonly vector: RegistrationVector;
  readonly commandSequence: Uint8Array;
}

export interface CutPdfToImport {
  readonly pdf: Uint8Array;
  readonly fileName: string;
  /** Default: the file's stem, else the code. */
  readonly name?: string | undefined;
  readonly linkInfo: string;
  readonly vector: RegistrationVector;
}

export type CutPdfImportResult =
  | { readonly ok: true; readonly job: JobRecord }
  | { readonly ok: false; readonly failure: PrepareRefusal };

export interface JobImport {
  importSequence(sequence: SequenceToImport): Promise<JobRecord>;
  importPdf(cut: CutPdfToImport): Promise<CutPdfImportResult>;
}

export interface JobImportOptions {
  readonly preparer: Preparer;
  readonly jobs: JobLibrary;
  readonly stepsPerMm: StepsPerMm;
  readonly cutSpotColors: readonly string[];
  readonly order?: OrderOptions;
}

/** Where a sheet of Kerf's own has mark 1, in 0.1 mm (gpgl-and-data-link.md section 3). */
export const defaultVector: RegistrationVector = { fx: 60, fy: 400, rx: 0, ry: 0 };

/** Longer sequences are measured in the worker: this thread answers cutters. */
const measuredHereBytes = 256 * 1024;

export function createJobImport({ preparer, jobs, stepsPerMm, cutSpotColors, order }: JobImportOptions): JobImport {
  return {
    async importSequence({ name, linkInfo, commandType, vector, commandSequence }) {
      const isShort = commandSequence.byteLength <= measuredHereBytes;
      const measured = isShort ? measureSequence(commandSequence, stepsPerMm) : commandType === 0 ? await preparer.measure({ bytes: commandSequence, stepsPerMm }) : null;
      return jobs.register({
        name, linkInfo, commandType, vector, source: 'import-json', commandSequence,
        commandPreview: previewCommands(commandSequence, previewedCommands),
        geometry: commandType === 0 ? measured : null,
        cutSource: null, warnings: [],
      });
    },
    async importPdf({ pdf, fileName, name, linkInfo, vector }) {
      const result = await preparer.importCutPdf({ pdf, stepsPerMm, cutSpotColors, ...(order === undefined ? {} : { order }) });
      if (!result.ok) return result;
      const { commandSequence, commandPreview, geometry, warnings } = result.imported;
      const fallback = jobNameFromFile(fileName) ?? linkInfo;
      const job = await jobs.register({
        name: name !== undefined && isJobName(name) ? name : fallback,
        linkInfo, commandType: 0, vector, source: 'import-pdf', commandSequence, commandPreview, geometry,
        cutSource: null, warnings: warnings.map(({ code, detail }) => ({ code, detail })),
      });
      return { ok: true, job };
    },
  };
}
