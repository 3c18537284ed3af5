import type { Faults } from './faults.ts';
import type { Intake } from './intake.ts';
import type { CutterModel } from './models.ts';
import { panelErrors, type PanelError } from './states.ts';

/** The printed sheet that lies in the cutter, as far as the operator told the simulator. */
export interface SheetGeometry {
  /** Printed registration vector in 0.1 mm, as d5 should give it. */
  readonly fx?: number;
  readonly fy?: number;
  /** Printed distance of the marks along the feed and along the carriage. */
  readonly marksFeedMm?: number;
  readonly marksCarriageMm?: number;
}

/** How far beside the expected place the sensor still finds a mark (ours). */
const SEARCH_MM = 5;
/** Longest feed (ours): more than this is a wrong unit, not a sheet. */
const MAX_FEED_MM = 50_000;

/** Why a job that came in is not cut: it did not come whole, its marks are not found, or it is not for this sheet or this machine. */
export function sheetError(job: Intake, model: CutterModel, sheet: SheetGeometry | undefined, faults: Faults): PanelError | undefined {
  const { marks, lexer: { error: broken } } = job.plotter;
  if (job.endedBy === 'reset' || job.endedBy === 'drop_connection') return panelErrors.linkLost();
  if (broken !== undefined) return { code: broken.code, text: `${broken.text} (byte ${broken.offset})` };
  if (marks !== undefined && faults.take('mark_scan_error') !== undefined) return panelErrors.sensing('injected fault');
  return misfit(job, model, sheet);
}

function misfit(job: Intake, model: CutterModel, sheet: SheetGeometry | undefined): PanelError | undefined {
  const { bounds, plotter: { marks } } = job;
  const { vector } = job.header;
  if (sheet?.fx !== undefined && Math.abs(sheet.fx - vector.fx) > SEARCH_MM * 10) {
    return panelErrors.startMark(`mark 1 lies ${sheet.fx / 10} mm along the feed, the vector says ${vector.fx / 10} mm`);
  }
  if (sheet?.fy !== undefined && Math.abs(sheet.fy - vector.fy) > SEARCH_MM * 10) {
    return panelErrors.startMark(`mark 1 lies ${sheet.fy / 10} mm across, the vector says ${vector.fy / 10} mm`);
  }
  if (marks !== undefined && sheet?.marksFeedMm !== undefined && Math.abs(sheet.marksFeedMm - marks.feedMm) > SEARCH_MM) {
    return panelErrors.sensing(`the marks are ${sheet.marksFeedMm} mm apart along the feed, the job says ${marks.feedMm} mm`);
  }
  if (marks !== undefined && sheet?.marksCarriageMm !== undefined && Math.abs(sheet.marksCarriageMm - marks.carriageMm) > SEARCH_MM) {
    return panelErrors.sensing(`the marks are ${sheet.marksCarriageMm} mm apart across, the job says ${marks.carriageMm} mm`);
  }
  // Where mark 1 lies on the carriage is not known, so only what fits nowhere is refused.
  const acrossMm = Math.max(0, bounds?.maxY ?? 0, marks?.carriageMm ?? 0) - Math.min(0, bounds?.minY ?? 0);
  if (acrossMm > model.cutWidthMm) return panelErrors.outOfArea(`${acrossMm.toFixed(1)} mm across, the ${model.name} reaches ${model.cutWidthMm} mm`);
  const feedMm = Math.max(0, bounds?.maxX ?? 0, marks?.feedMm ?? 0) - Math.min(0, bounds?.minX ?? 0);
  return feedMm > MAX_FEED_MM ? panelErrors.outOfArea(`${feedMm.toFixed(0)} mm along the feed`) : undefined;
}
