/**
 * One print PDF from beginning to end: a code for the sheet, the marked PDF, and the job in the library.
 *
 * Guarantee: when it succeeds, the job is on disk; when it is refused, nothing is left behind, the minted code included.
 */
import { previewCommands } from '../gpgl/index.ts';
import { isJobName, jobNameFromFile, maxJobNameLength, type JobLibrary, type JobRecord } from '../jobs/index.ts';
import { isLinkInfo, type SheetChoices } from '../sheet/index.ts';
import type { OrderOptions } from '../order/index.ts';
import { jobGeometry, previewedCommands } from './job-geometry.ts';
import type { Materials } from './materials.ts';
import type { PreflightReport } from './preflight-schema.ts';
import type { Preparer } from './preparer.ts';
import type { PreparedSheet, PrepareInput, PrepareRefusal } from './types.ts';

export interface PrintToPrepare {
  readonly pdf: Uint8Array;
  readonly fileName: string;
  /** Default: the file's stem. */
  readonly name?: string | undefined;
  /** Default: a minted code. */
  readonly linkInfo?: string | undefined;
  readonly cutLayers?: 'hide' | 'keep' | undefined;
  /** One of the shop's. Default: none; the conditions are those set up at the cutter. */
  readonly material?: string | undefined;
  /** Each in its range and none against another. */
  readonly sheet?: SheetChoices | undefined;
  /** Registering the job again with the same key gives the job that is there. */
  readonly key?: string | undefined;
  /** Called with the sheet before its job is registered; when it rejects, so does `prepare`, and there is no job. */
  readonly beforeRegister?: ((sheet: PreparedSheet) => Promise<void>) | undefined;
}

export type PrintPreparationRefusal =
  | PrepareRefusal
  | { readonly code: 'INVALID_NAME'; readonly detail: string }
  | { readonly code: 'INVALID_PARAMETER'; readonly unknownMaterial: string; readonly detail: string };

export type PrintPreparationResult =
  | { readonly ok: true; readonly job: JobRecord; readonly sheet: PreparedSheet }
  | { readonly ok: false; readonly failure: PrintPreparationRefusal };

/** A report stands for a refusal too, where the page could be read. */
export type PrintInspectionResult =
  | { readonly ok: true; readonly report: PreflightReport }
  | { readonly ok: false; readonly failure: PrintPreparationRefusal };

export interface PrintPreparation {
  prepare(print: PrintToPrepare): Promise<PrintPreparationResult>;
  /** Does the same and keeps nothing of it: no job, no code, no entry in the journal. */
  inspect(print: PrintToPrepare): Promise<PrintInspectionResult>;
}

/** Takes as much room on the sheet as any other code, and none from the library. */
const inspectedLinkInfo = '000000000';

export interface PrintPreparationOptions {
  readonly preparer: Preparer;
  readonly jobs: JobLibrary;
  readonly stepsPerMm: PrepareInput['stepsPerMm'];
  readonly cutSpotColors: readonly string[];
  readonly order?: OrderOptions;
  readonly materials?: Materials;
}

export function createPrintPreparation(options: PrintPreparationOptions): PrintPreparation {
  const { jobs } = options;
  return {
    async prepare(print) {
      const refusal = refusalOf(options, print);
      if (refusal !== null) return { ok: false, failure: refusal };
      if (print.linkInfo !== undefined) return prepareFor(options, print, print.linkInfo);
      const minted = jobs.reserveLinkInfo();
      if (minted === null) return refused('UNAVAILABLE', 'Every code of BARCODE_PREFIX is in use; set another prefix.');
      try {
        return await prepareFor(options, print, minted.linkInfo, minted);
      } finally {
        jobs.releaseLinkInfo(minted);
      }
    },
    async inspect(print) {
      const refusal = refusalOf(options, print);
      if (refusal !== null) return { ok: false, failure: refusal };
      const result = await options.preparer.prepare(inputOf(options, print, print.linkInfo ?? inspectedLinkInfo));
      if (!result.ok && (result.report === null || result.failure.code === 'ROUND_TRIP_FAILED')) return result;
      if (result.report === null) throw new Error('a prepared sheet came without a report');
      return { ok: true, report: result.report };
    },
  };
}

function refusalOf({ materials }: PrintPreparationOptions, { name, linkInfo, material }: PrintToPrepare): PrintPreparationRefusal | null {
  if (name !== undefined && !isJobName(name)) {
    return { code: 'INVALID_NAME', detail: `A job name is 1 to ${maxJobNameLength} printable ASCII characters, as the cutter's display shows them; ${JSON.stringify(name.slice(0, 80))} is not.` };
  }
  if (linkInfo !== undefined && !isLinkInfo(linkInfo)) {
    return { code: 'INVALID_BARCODE', detail: `Barcode link info is exactly 9 characters of 0-9 and A-Z, the first not G; ${JSON.stringify(linkInfo.slice(0, 80))} is not.` };
  }
  if (material !== undefined && materials?.has(material) !== true) {
    const known = [...materials?.keys() ?? []];
    const choice = known.length === 0 ? 'This shop has none; they stand in the file that the setting MATERIALS_FILE names' : `Known are: ${known.join(', ')}`;
    return { code: 'INVALID_PARAMETER', unknownMaterial: material, detail: `${JSON.stringify(material.slice(0, 80))} is no material. ${choice}.` };
  }
  return null;
}

function inputOf({ stepsPerMm, cutSpotColors, order, materials }: PrintPreparationOptions, print: PrintToPrepare, linkInfo: string): PrepareInput {
  const conditions = print.material === undefined ? undefined : materials?.get(print.material);
  return {
    pdf: print.pdf, linkInfo, stepsPerMm, cutSpotColors, cutLayers: print.cutLayers ?? 'hide',
    ...(print.sheet === undefined ? {} : { sheet: print.sheet }),
    ...(order === undefined ? {} : { order }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

async function prepareFor(
  options: PrintPreparationOptions,
  print: PrintToPrepare,
  linkInfo: string,
  minted?: { readonly linkInfo: string; readonly counter: number },
): Promise<PrintPreparationResult> {
  const { preparer, jobs } = options;
  const result = await preparer.prepare(inputOf(options, print, linkInfo));
  if (!result.ok) return result;
  const { prepared } = result;
  await print.beforeRegister?.(prepared);
  const job = await jobs.register({
    ...(print.key === undefined ? {} : { key: print.key }),
    name: print.name ?? jobNameFromFile(print.fileName) ?? linkInfo,
    linkInfo,
    ...(minted === undefined ? {} : { minted }),
    commandType: 0,
    vector: prepared.vector,
    source: 'print-prepare',
    commandSequence: prepared.commandSequence,
    commandPreview: previewCommands(prepared.commandSequence, previewedCommands),
    geometry: jobGeometry(prepared, prepared.segmentCount, prepared.stepsPerMm),
    cutSource: prepared.cutSource,
    warnings: prepared.warnings.map(({ code, detail }) => ({ code, detail })),
    sheet: { layout: prepared.layout, markedPdf: prepared.markedPdf },
  });
  return { ok: true, job, sheet: prepared };
}

function refused(code: PrepareRefusal['code'], detail: string): PrintPreparationResult {
  return { ok: false, failure: { code, detail } };
}
