import type { PageReading, PdfWarning, RectMm, Tool } from '../pdf/index.ts';
import type { PreflightReport } from './preflight-schema.ts';
import type { PrepareRefusal, PrepareWarning } from './types.ts';

const tools: readonly Tool[] = ['crease', 'perforation', 'kiss-cut', 'cut'];

/** What was found on the page and what was passed over, and what would become of the file. */
export function preflightReport(reading: PageReading, refusal: PrepareRefusal | null, warnings: readonly (PdfWarning | PrepareWarning)[]): PreflightReport {
  const { facts } = reading;
  return {
    would_be_accepted: refusal === null,
    refusal: refusal === null ? null : { code: refusal.code, detail: refusal.detail },
    page: {
      width_mm: rounded(reading.widthMm),
      height_mm: rounded(reading.heightMm),
      media_box_mm: corners(facts.boxesMm.media),
      crop_box_mm: corners(facts.boxesMm.crop),
      bleed_box_mm: corners(facts.boxesMm.bleed),
      trim_box_mm: corners(facts.boxesMm.trim),
      art_box_mm: corners(facts.boxesMm.art),
      rotate: facts.rotate,
      user_unit: facts.userUnit,
      pdf_version: facts.pdfVersion,
      is_repaired: facts.isRepaired,
      is_encrypted: facts.isEncrypted,
    },
    cut_source: reading.cutSource,
    tools: tools.flatMap((tool) => totalsOf(reading, tool)),
    seen: reading.seen.map(({ kind, name, taken, tool, cutPaths, otherObjects, overprints, reason }) => (
      { kind, name, is_taken: taken, tool, cut_paths: cutPaths, other_objects: otherObjects, overprints, reason }
    )),
    warnings: warnings.map(({ code, detail }) => ({ code, detail })),
  };
}

function totalsOf({ paths }: PageReading, tool: Tool): PreflightReport['tools'] {
  let pathCount = 0;
  let segments = 0;
  let lengthMm = 0;
  for (const path of paths) {
    if (path.tool !== tool) continue;
    pathCount += 1;
    segments += path.pointsMm.length / 2 - (path.closed ? 0 : 1);
    lengthMm += lengthOf(path.pointsMm, path.closed);
  }
  return pathCount === 0 ? [] : [{ tool, paths: pathCount, segments, length_mm: rounded(lengthMm) }];
}

function lengthOf(pointsMm: Float64Array, isClosed: boolean): number {
  let lengthMm = 0;
  const last = pointsMm.length - 2;
  for (let at = isClosed ? -2 : 0; at < last; at += 2) {
    const from = at < 0 ? last : at;
    const dx = (pointsMm[at + 2] ?? 0) - (pointsMm[from] ?? 0);
    const dy = (pointsMm[at + 3] ?? 0) - (pointsMm[from + 1] ?? 0);
    lengthMm += Math.sqrt(dx * dx + dy * dy);
  }
  return lengthMm;
}

function corners(box: RectMm | null): number[] | null {
  return box === null ? null : [box.x0Mm, box.y0Mm, box.x1Mm, box.y1Mm].map(rounded);
}

/** A micrometre is more than anybody reads in a report. */
function rounded(lengthMm: number): number {
  return Math.round(lengthMm * 1000) / 1000;
}
