import { createHash } from 'node:crypto';
import { boundsMm, cutLengthMm, encodeJob, estimateSeconds, travelLengthMm, type MarkBlock, type StepsPerMm, type ToolConditions, type ToolPaths } from '../gpgl/index.ts';
import { cuttingOrder, type OrderOptions } from '../order/index.ts';
import { roundTrip } from './round-trip.ts';
import type { CutJob, PrepareRefusal, PrepareWarning } from './types.ts';

export type CutJobResult =
  | { readonly ok: true; readonly job: CutJob; readonly warnings: readonly PrepareWarning[] }
  | { readonly ok: false; readonly failure: PrepareRefusal };

export interface CutJobOptions {
  readonly markBlock: MarkBlock;
  readonly stepsPerMm: StepsPerMm;
  readonly order?: OrderOptions | undefined;
  /** null: those that the shop set up at the cutter. */
  readonly conditions?: ToolConditions | null | undefined;
}

/** Paths in the mark frame become a job in GP-GL: put into the order of cutting, written, and read back before anybody sees it. */
export function cutJob(markFramePaths: ToolPaths, { markBlock, stepsPerMm, order, conditions = null }: CutJobOptions): CutJobResult {
  const { paths, duplicatesRemoved } = cuttingOrder(markFramePaths, order);
  const commandSequence = encodeJob({ stepsPerMm, markBlock, paths, conditions });
  const back = roundTrip(commandSequence, paths, markBlock, stepsPerMm, conditions);
  if (!back.ok) return refused('ROUND_TRIP_FAILED', back.detail);
  const bounds = boundsMm(back.geometry);
  if (bounds === null) return refused('NO_CUT_PATHS', `All cut paths of the page are shorter than one step of the cutter (${1 / stepsPerMm} mm).`);
  const warnings: PrepareWarning[] = [];
  if (duplicatesRemoved > 0) warnings.push({ code: 'CUT_DUPLICATES_REMOVED', detail: `Cut paths that lie exactly on another are cut once: ${duplicatesRemoved} left out.` });
  if (back.collapsed > 0) warnings.push({ code: 'CUT_BELOW_STEP', detail: `Cut paths shorter than one step of the cutter (${1 / stepsPerMm} mm): ${back.collapsed} left out.` });
  return {
    ok: true,
    warnings,
    job: {
      commandSequence,
      commandSha256: createHash('sha256').update(commandSequence).digest('hex'),
      boundsMm: bounds,
      cutLengthMm: cutLengthMm(back.geometry),
      travelLengthMm: travelLengthMm(back.geometry),
      estimateSeconds: estimateSeconds(back.geometry),
    },
  };
}

function refused(code: PrepareRefusal['code'], detail: string): CutJobResult {
  return { ok: false, failure: { code, detail } };
}
