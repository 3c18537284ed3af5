import type { ContentEnd } from '../interpreter.ts';
import type { Matrix } from '../matrix.ts';
import { IDENTITY, invert } from '../matrix.ts';
import type { PdfDocument } from '../open.ts';
import type { PdfObject } from '../objects.ts';
import { PdfDict, PdfName, PdfRef, PdfStream, isArray } from '../objects.ts';
import { contentEnd } from '../read-page.ts';
import type { Overlay } from '../types.ts';
import { placeCatalog, placePage } from './place.ts';
import { hideCutLayers } from './print-state.ts';
import { Changes, save } from './save.ts';
import { formatNumber, latin1 } from './serialize.ts';

export interface MarkOptions {
  /** Whether layers of tool types are taken out of print. Default: hide. */
  readonly cutLayers: 'hide' | 'keep';
}

/** The page with the overlay on top: filled rectangles and texts in 100 % K, placed in the page frame, so right as the page
 * is seen. The original content lies beneath, its streams byte for byte, between q and Q; whatever state, text object,
 * marked content or string it leaves open is closed first. The overlay is a form with resources of its own: neither the
 * page's default colour spaces nor anybody's fonts reach it. The same input gives the same bytes.
 *
 * Texts are Helvetica Bold of the size `heightMm`; what is not printable ASCII becomes "?". The font is not embedded. */
export function writeMarked(document: PdfDocument, overlay: Overlay, options: MarkOptions = { cutLayers: 'hide' }): Promise<Uint8Array> {
  const changes = new Changes(document);
  const { frame } = document.page;
  // A frame always has area, so its map has an inverse.
  const form = changes.put(overlayForm(frame, invert(frame.toMm) ?? IDENTITY, overlay));
  const { name, resources } = withForm(document, document.page.resources, 'KerfOverlay', form);
  const { opening, closing } = wrapping(contentEnd(document));
  const before = changes.put(new PdfStream(new PdfDict(), latin1(opening)));
  const after = changes.put(new PdfStream(new PdfDict(), latin1(`${closing}q /${name} Do Q\n`)));
  const page = document.page.dict.with({ Contents: [before, ...contentsOf(document), after], Resources: resources });
  const catalog = placePage(document, changes, page);
  const changed = options.cutLayers === 'hide' ? hideCutLayers(document, changes, catalog) : catalog;
  placeCatalog(document, changes, changed);
  return Promise.resolve(save(document, changes));
}

/** What is no stream is left out: for it, some readers draw nothing of the whole list. */
function contentsOf({ page, store }: PdfDocument): readonly PdfObject[] {
  const entry = page.dict.get('Contents');
  const contents = store.resolve(entry);
  return (isArray(contents) ? contents : [entry]).filter((item) => item instanceof PdfRef && store.resolve(item) instanceof PdfStream);
}

/** A copy of the page's resources with a form in it, under a name that is free: the originals may be shared or inherited. */
export function withForm(document: PdfDocument, resources: PdfDict, wanted: string, form: PdfRef): { name: string; resources: PdfDict } {
  const objects = document.store.dict(resources, 'XObject') ?? new PdfDict();
  let name = wanted;
  for (let i = 2; objects.map.has(name); i += 1) name = `${wanted}${i}`;
  return { name, resources: resources.with({ XObject: objects.with({ [name]: form }) }) };
}

/** What stands before and after the original content. A Q without q would take away ours, so there is one more q for each. */
export function wrapping(end: ContentEnd): { opening: string; closing: string } {
  const closing = [
    end.unclosed,
    end.inPath ? 'n' : '',
    end.inText ? 'ET' : '',
    'EMC\n'.repeat(end.markedContentOverhang),
    'Q\n'.repeat(end.stateOverhang + 1),
  ];
  return { opening: 'q\n'.repeat(end.stateUnderflows + 1), closing: `\n${closing.filter((part) => part !== '').join('\n')}` };
}

/** `fromMm` maps the frame in millimetres, in which the overlay is written, to the page's default user space. */
export function overlayForm(frame: { readonly widthMm: number; readonly heightMm: number }, fromMm: Matrix, overlay: Overlay): PdfStream {
  const font = new PdfDict(new Map<string, PdfObject>([
    ['Type', new PdfName('Font')],
    ['Subtype', new PdfName('Type1')],
    ['BaseFont', new PdfName('Helvetica-Bold')],
    ['Encoding', new PdfName('WinAnsiEncoding')],
  ]));
  const dict = new PdfDict(new Map<string, PdfObject>([
    ['Type', new PdfName('XObject')],
    ['Subtype', new PdfName('Form')],
    ['BBox', [0, 0, frame.widthMm, frame.heightMm]],
    ['Matrix', fromMm],
    ['Resources', new PdfDict(new Map([
      // Said outright: some readers take the page's default where the form states none.
      ['ColorSpace', new PdfDict(new Map([['DefaultCMYK', new PdfName('DeviceCMYK')]]))],
      ...(overlay.texts.length === 0 ? [] : [['Font', new PdfDict(new Map([['F', font]]))] as const]),
    ]))],
  ]));
  return new PdfStream(dict, latin1(overlayContent(overlay)));
}

function overlayContent({ rectsMm, texts }: Overlay): string {
  let content = '0 0 0 1 k\n';
  for (const { x0Mm, y0Mm, x1Mm, y1Mm } of rectsMm) content += `${mm(x0Mm)} ${mm(y0Mm)} ${mm(x1Mm - x0Mm)} ${mm(y1Mm - y0Mm)} re\n`;
  if (rectsMm.length > 0) content += 'f\n';
  for (const { text, xMm, yMm, heightMm } of texts) {
    const shown = text.replace(/[^ -~]/g, '?').replace(/[\\()]/g, '\\$&');
    content += `BT /F ${mm(heightMm)} Tf ${mm(xMm)} ${mm(yMm)} Td (${shown}) Tj ET\n`;
  }
  return content;
}

/** A tenth of a micrometre is enough for a mark. */
function mm(value: number): string {
  return formatNumber(Math.round(value * 1e4) / 1e4);
}
