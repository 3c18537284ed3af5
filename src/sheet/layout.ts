import type { MarkBlock } from '../gpgl/index.ts';
import { code39Bars, code39Text, isLinkInfo } from './code39.ts';
import { defaultSheetOptions, type SheetOptions } from './options.ts';
import { rect, shownMm, type PointMm, type RectMm, type SheetFailure, type SheetOverlay, type TextMm } from './shapes.ts';
import { textWidthEm } from './text.ts';

export interface KeepClearZone {
  /** For people: "the strip of the leading edge", "the bottom right mark". */
  readonly name: string;
  readonly rectMm: RectMm;
}

/** From the Start Mark's scan-start corner to mark 1, in 0.1 mm; rx and ry serve a rear-edge barcode only. */
export interface RegistrationVector {
  readonly fx: number;
  readonly fy: number;
  readonly rx: number;
  readonly ry: number;
}

/** One computation gives what is printed and what the cutter is told, so they cannot drift apart. */
export interface SheetLayout {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly options: SheetOptions;
  /** The centre lines of the four marks. */
  readonly markRectMm: RectMm;
  /** Mark 1, the bottom right one: the origin of the mark frame. */
  readonly originMm: PointMm;
  readonly markBlock: MarkBlock;
  readonly vector: RegistrationVector;
  readonly markArmsMm: readonly RectMm[];
  readonly startMarkMm: RectMm;
  /** In the order of reading, so from right to left. */
  readonly barsMm: readonly RectMm[];
  /** What the bars say, start, stop and check characters included. */
  readonly barcodeText: string;
  readonly readableText: TextMm;
  readonly keepClearZones: readonly KeepClearZone[];
}

export type LayoutResult =
  | { readonly ok: true; readonly layout: SheetLayout }
  | { readonly ok: false; readonly failure: SheetFailure };

export interface SheetSize {
  readonly widthMm: number;
  readonly heightMm: number;
}

/** PDF boxes are in points with few decimals: a page that is short by less than this is the page that was meant. */
const pageToleranceMm = 0.01;

/** Lays out marks and barcode on a page of this size. Refuses with INVALID_BARCODE or PAGE_TOO_SMALL. */
export function layoutSheet(size: SheetSize, linkInfo: string, changes: Partial<SheetOptions> = {}): LayoutResult {
  const options: SheetOptions = { ...defaultSheetOptions, ...changes };
  if (!isLinkInfo(linkInfo)) {
    const detail = `"${linkInfo}" is no barcode link info: it has exactly 9 characters of 0-9 and A-Z, and the first is not G.`;
    return { ok: false, failure: { code: 'INVALID_BARCODE', detail } };
  }
  const barcodeText = code39Text(linkInfo, 'F');
  const barcode = code39Bars(barcodeText, options.narrowMm, options.wideMm);
  const needed = smallestSize(options, barcode.lengthMm);
  if (!(size.widthMm >= needed.widthMm - pageToleranceMm && size.heightMm >= needed.heightMm - pageToleranceMm)) {
    const detail = `The page is ${shownMm(size.widthMm)} × ${shownMm(size.heightMm)} mm (width × height as it is seen); `
      + `marks and barcode need at least ${shownMm(needed.widthMm)} × ${shownMm(needed.heightMm)} mm.`;
    return { ok: false, failure: { code: 'PAGE_TOO_SMALL', detail } };
  }
  return { ok: true, layout: placed(size, options, linkInfo, barcodeText, barcode) };
}

/** The smallest page that holds marks and barcode. All link infos have bars of one length. */
export function smallestSheet(options: SheetOptions): SheetSize {
  return smallestSize(options, code39Bars(code39Text('000000000', 'F'), options.narrowMm, options.wideMm).lengthMm);
}

function smallestSize(options: SheetOptions, barcodeMm: number): SheetSize {
  const band = options.startMarkFromSideMm + options.startMarkLengthMm + 2 * options.quietZoneMm + barcodeMm + options.textReserveMm;
  return {
    widthMm: Math.max(band, 2 * options.marksFromSideMm + options.smallestMarkDistanceMm),
    heightMm: frontMarksMm(options) + options.smallestMarkDistanceMm + options.marksFromRearMm,
  };
}

/** From the leading edge to the front marks. */
export function frontMarksMm(options: SheetOptions): number {
  return options.bandFromEdgeMm + options.bandHeightMm + options.marksBehindBandMm;
}

function placed(size: SheetSize, options: SheetOptions, linkInfo: string, barcodeText: string, barcode: ReturnType<typeof code39Bars>): SheetLayout {
  const bandTopMm = options.bandFromEdgeMm + options.bandHeightMm;
  const markRectMm = rect(
    options.marksFromSideMm, frontMarksMm(options), size.widthMm - options.marksFromSideMm, size.heightMm - options.marksFromRearMm,
  );
  const originMm: PointMm = { xMm: markRectMm.x1Mm, yMm: markRectMm.y0Mm };
  const startOuterMm = size.widthMm - options.startMarkFromSideMm;
  const startMarkMm = rect(startOuterMm - options.startMarkLengthMm, options.bandFromEdgeMm, startOuterMm, bandTopMm);
  const firstBarMm = startMarkMm.x0Mm - options.quietZoneMm;
  const textEndMm = firstBarMm - barcode.lengthMm - options.quietZoneMm;
  return {
    widthMm: size.widthMm,
    heightMm: size.heightMm,
    options,
    markRectMm,
    originMm,
    markBlock: {
      armMm: options.armMm,
      markType: options.markType,
      feedDistanceMm: markRectMm.y1Mm - markRectMm.y0Mm,
      carriageDistanceMm: markRectMm.x1Mm - markRectMm.x0Mm,
    },
    // The scan starts at the Start Mark's outer end, on the side of the artwork, and runs to the left.
    vector: { fx: tenths(originMm.yMm - startMarkMm.y1Mm), fy: tenths(startMarkMm.x1Mm - originMm.xMm), rx: 0, ry: 0 },
    markArmsMm: cornersOf(markRectMm).flatMap(({ corner, inX, inY }) => armsAt(corner, inX, inY, options)),
    startMarkMm,
    barsMm: barcode.bars.map((bar) => rect(firstBarMm - bar.toMm, options.bandFromEdgeMm, firstBarMm - bar.fromMm, bandTopMm)),
    barcodeText,
    readableText: readableText(`${linkInfo}-F`, textEndMm, options),
    keepClearZones: zones(size, markRectMm, bandTopMm, options),
  };
}

function tenths(lengthMm: number): number {
  return Math.round(lengthMm * 10);
}

interface Corner {
  readonly name: string;
  readonly corner: PointMm;
  /** Towards the artwork: 1 or −1 along each axis. */
  readonly inX: number;
  readonly inY: number;
}

function cornersOf({ x0Mm, y0Mm, x1Mm, y1Mm }: RectMm): readonly Corner[] {
  return [
    { name: 'bottom right', corner: { xMm: x1Mm, yMm: y0Mm }, inX: -1, inY: 1 },
    { name: 'bottom left', corner: { xMm: x0Mm, yMm: y0Mm }, inX: 1, inY: 1 },
    { name: 'top left', corner: { xMm: x0Mm, yMm: y1Mm }, inX: 1, inY: -1 },
    { name: 'top right', corner: { xMm: x1Mm, yMm: y1Mm }, inX: -1, inY: -1 },
  ];
}

/** Two arms, each with half the line on the other side of the corner, which is thereby filled. */
function armsAt(corner: PointMm, inX: number, inY: number, options: SheetOptions): readonly RectMm[] {
  const half = options.lineMm / 2;
  const { xMm, yMm } = corner;
  const direction = options.markType === 1 ? -1 : 1;
  const across = [xMm - direction * inX * half, xMm + direction * inX * options.armMm] as const;
  const along = [yMm - direction * inY * half, yMm + direction * inY * options.armMm] as const;
  return [
    rect(Math.min(...across), yMm - half, Math.max(...across), yMm + half),
    rect(xMm - half, Math.min(...along), xMm + half, Math.max(...along)),
  ];
}

function readableText(text: string, endMm: number, options: SheetOptions): TextMm {
  const widthEm = textWidthEm(text);
  const heightMm = Math.min(options.textHeightMm, options.textReserveMm / widthEm);
  return { text, xMm: endMm - widthEm * heightMm, yMm: options.bandFromEdgeMm + options.textFromBandMm, heightMm };
}

function zones(size: SheetSize, markRectMm: RectMm, bandTopMm: number, options: SheetOptions): readonly KeepClearZone[] {
  const reach = options.armMm + options.clearBeyondArmMm;
  const strip = { name: 'the strip of the leading edge with the barcode', rectMm: rect(0, 0, size.widthMm, bandTopMm + options.clearBehindBandMm) };
  return [strip, ...cornersOf(markRectMm).map(({ name, corner }) => ({
    name: `the square of the ${name} registration mark`,
    rectMm: rect(corner.xMm - reach, corner.yMm - reach, corner.xMm + reach, corner.yMm + reach),
  }))];
}

export function keepClearZones(layout: SheetLayout): readonly KeepClearZone[] {
  return layout.keepClearZones;
}

/** What is printed over the page. */
export function overlayOf(layout: SheetLayout): SheetOverlay {
  return { rectsMm: [...layout.markArmsMm, layout.startMarkMm, ...layout.barsMm], texts: [layout.readableText] };
}
