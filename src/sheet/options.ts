/** 1: the arms of the marks point outward to the edges of the sheet, 2: inward to the artwork (section 2). */
export type MarkType = 1 | 2;

/** Where things stand on the sheet. Every figure is gpgl-and-data-link.md section 2 or 3, validated on an FC9000-140
 * by others; all are options, since they rest on one machine. */
export interface SheetOptions {
  /** From the leading edge to the barcode band; 10 mm was out of the sensor's reach. */
  readonly bandFromEdgeMm: number;
  readonly bandHeightMm: number;
  /** From the right edge to the Start Mark. */
  readonly startMarkFromSideMm: number;
  readonly startMarkLengthMm: number;
  readonly narrowMm: number;
  /** Wide bars are 2.5 times the narrow ones. */
  readonly wideMm: number;
  readonly quietZoneMm: number;
  /** Kept for the readable text beside the bars: 193 mm of page less all that stands right of it. */
  readonly textReserveMm: number;
  readonly textFromBandMm: number;
  /** 12 pt; smaller where the text would not fit. */
  readonly textHeightMm: number;
  /** From the barcode band to the front marks. */
  readonly marksBehindBandMm: number;
  readonly marksFromSideMm: number;
  readonly marksFromRearMm: number;
  readonly markType: MarkType;
  readonly armMm: number;
  readonly lineMm: number;
  readonly smallestMarkDistanceMm: number;
  /** The strip of the leading edge ends this far behind the band. */
  readonly clearBehindBandMm: number;
  /** The square around a mark's corner reaches this far beyond the arm. */
  readonly clearBeyondArmMm: number;
  readonly cutInsideMarksMm: number;
  /** Whether cut paths may lie in the squares around the marks. The reference keeps them clear of artwork and does not
   * speak of cutting; refused by default, since a contour that a RIP images there disturbs the scan. */
  readonly cutInMarkSquares: 'refuse' | 'allow';
}

export const defaultSheetOptions: SheetOptions = {
  bandFromEdgeMm: 20,
  bandHeightMm: 9,
  startMarkFromSideMm: 10,
  startMarkLengthMm: 50,
  narrowMm: 0.5,
  wideMm: 1.25,
  quietZoneMm: 7,
  textReserveMm: 25,
  textFromBandMm: 2,
  textHeightMm: 12 * 25.4 / 72,
  marksBehindBandMm: 6,
  marksFromSideMm: 50,
  marksFromRearMm: 50,
  markType: 2,
  armMm: 20,
  lineMm: 0.7,
  smallestMarkDistanceMm: 60,
  clearBehindBandMm: 3,
  clearBeyondArmMm: 6,
  cutInsideMarksMm: 1,
  cutInMarkSquares: 'refuse',
};

/** The type that a Data Link cutter is set to (section 2). */
export const markType = defaultSheetOptions.markType;

/** What a person may choose for one sheet; what is absent is the validated layout. The rest of the geometry is the
 * cutter's. */
export interface SheetChoices {
  readonly marksFromSideMm?: number | undefined;
  readonly marksFromRearMm?: number | undefined;
  readonly marksBehindBandMm?: number | undefined;
  readonly markType?: MarkType | undefined;
  readonly markLengthMm?: number | undefined;
  readonly markThicknessMm?: number | undefined;
  readonly copiesX?: number | undefined;
  readonly copiesY?: number | undefined;
  readonly gapXMm?: number | undefined;
  readonly gapYMm?: number | undefined;
  readonly barcodeEdge?: BarcodeEdge | undefined;
}

export type BarcodeEdge = 'front' | 'rear' | 'both';
