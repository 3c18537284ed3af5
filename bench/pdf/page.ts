import { deflateSync } from 'node:zlib';

/** A square page whose cut is so many contours of so many segments each, in rows and columns. The contours
 * are neither straight nor round, so that nothing can be left out of them. Of one segment each: lines, stroked one by one. */
export interface PageShape {
  readonly contours: number;
  readonly segmentsEach: number;
  /** The segments are Bézier curves, not lines. */
  readonly curved?: true;
}

const pageMm = 600;
/** Marks and barcode need the edge. */
const edgeMm = 80;
const pt = (mm: number): string => (mm * 72 / 25.4).toFixed(3);

/** Written as drawing programs do: one path for a contour, three decimals, deflated; the cut is in the ink CutContour. */
export function cutPage({ contours, segmentsEach, curved }: PageShape): Buffer {
  const columns = Math.ceil(Math.sqrt(contours));
  const pitchMm = (pageMm - 2 * edgeMm) / columns;
  const parts = ['/Cut CS 1 SCN 0.25 w'];
  for (let contour = 0; contour < contours; contour++) {
    const x = edgeMm + (contour % columns + 0.5) * pitchMm;
    const y = edgeMm + (Math.floor(contour / columns) + 0.5) * pitchMm;
    if (segmentsEach === 1) {
      parts.push(`${pt(x - 0.3 * pitchMm)} ${pt(y - 0.2 * pitchMm)} m ${pt(x + 0.3 * pitchMm)} ${pt(y + 0.2 * pitchMm)} l S`);
      continue;
    }
    const on = (segment: number): string => {
      const turn = segment * 2 * Math.PI / segmentsEach;
      const radius = 0.45 * pitchMm * (0.8 + 0.2 * Math.cos(7 * turn));
      return `${pt(x + radius * Math.cos(turn))} ${pt(y + radius * Math.sin(turn))}`;
    };
    parts.push(`${on(0)} m`);
    for (let segment = 1; segment < segmentsEach; segment++) {
      parts.push(curved ? `${on(segment - 2 / 3)} ${on(segment - 1 / 3)} ${on(segment)} c` : `${on(segment)} l`);
    }
    parts.push('s');
  }
  return pdf(deflateSync(parts.join('\n')));
}

function pdf(content: Buffer): Buffer {
  const ink = '[/Separation /CutContour /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 1 0 0] /N 1 >>]';
  const bodies = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pt(pageMm)} ${pt(pageMm)}] /Resources << /ColorSpace << /Cut ${ink} >> >> /Contents 4 0 R >>`,
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content.toString('latin1')}\nendstream`,
  ];
  let file = '%PDF-1.7\n';
  let entries = '0000000000 65535 f \n';
  bodies.forEach((body, index) => {
    entries += `${String(file.length).padStart(10, '0')} 00000 n \n`;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
  });
  return Buffer.from(`${file}xref\n0 ${bodies.length + 1}\n${entries}trailer\n<< /Size ${bodies.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`, 'latin1');
}
