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
  for (let path = 0; path < paths.count; path++) {
    if (paths.tools[path] !== tool) continue;
    const isClosed = paths.closed[path] === 1;
    const start = paths.first[path] ?? 0;
    const end = paths.first[path + 1] ?? 0;
    pathCount += 1;
    segments += end - start - (isClosed ? 0 : 1);
    lengthMm += lengthOf(paths.pointsMm, start * 2, end * 2 - 2, isClosed);
  }
  return pathCount === 0 ? [] : [{ tool, paths: pathCount, segments, length_mm: rounded(lengthMm) }];
}

/** Of the path whose points are at `first` to `last`. */
function lengthOf(pointsMm: Float64Array, first: number, last: number, isClosed: boolean): number {
  let lengthMm = 0;
  let from = isClosed ? last : first;
  for (let at = isClosed ? first : first + 2; at <= last; at += 2) {
    const dx = (pointsMm[at] ?? 0) - (pointsMm[from] ?? 0);
    const dy = (pointsMm[at + 1] ?? 0) - (pointsMm[from + 1] ?? 0);
    lengthMm += Math.sqrt(dx * dx + dy * dy);
    from = at;
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
