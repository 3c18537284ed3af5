import { PdfBuilder, onePage, separation } from './builder.ts';

/** Opaque, transparent, patterned, clipped, in a form that leaves its resources to the page, and beyond its crop box: 200 × 180 points as printed. */
export function busyPage(rotate: number): Uint8Array {
  const builder = new PdfBuilder();
  const tile = builder.stream('0.8 0 0 rg 0 0 5 5 re f 0 0 1 RG 0 0 10 10 re S', '/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 10 /YStep 10 /Matrix [1 0 0 1 3 4] /Resources << >>');
  const shading = builder.put('<< /Type /Pattern /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [-40 -30 100 100] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 1 0] /C1 [0 0.4 0.2] /N 1 >> >> >>');
  const bare = builder.stream('/Half gs /C cs 1 scn 0 0 30 12 re f', '/Type /XObject /Subtype /Form /BBox [0 0 30 12] /Matrix [1 0 0 1 60 85]');
  const content = [
    '0 0.2 0.6 rg -200 -200 330 290 re f', '/Pattern cs /T scn -30 -10 70 60 re f', '/Pattern cs /S scn 50 20 60 40 re f',
    'q /Half gs 1 0 0 rg 20 20 60 60 re f Q', 'q /Multiply gs 0 1 0 rg 60 60 80 80 re f Q', 'q 10 70 40 40 re W n 0 0 0 1 k 20 60 60 40 re f Q',
    '/Bare Do /C CS 1 SCN 1 w 5 5 90 80 re S', 'BT /F 18 Tf 0 g 10 50 Td (Copy 123) Tj ET',
  ].join('\n');
  const turned = rotate % 180 !== 0;
  return onePage({
    builder, content, mediaBox: '[-250 -250 400 400]',
    pageEntries: `/Rotate ${rotate} /CropBox [-40 -30 ${turned ? 140 : 160} ${turned ? 170 : 150}] /Group << /S /Transparency /CS /DeviceRGB >>`,
    resources: `/XObject << /Bare ${bare} 0 R >> /Pattern << /T ${tile} 0 R /S ${shading} 0 R >> /ExtGState << /Half << /ca 0.5 >> /Multiply << /BM /Multiply >> >> /ColorSpace << /C ${separation('CutContour')} >> /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>`,
  });
}
