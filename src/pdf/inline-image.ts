import type { ColourReader } from './colour.ts';
import type { PdfDict, PdfObject } from './objects.ts';

export interface InlineImage {
  readonly isMask: boolean;
  readonly colourSpace: PdfObject;
  /** Bytes of its data, or null where a filter makes that unknowable without decoding it. */
  readonly dataLength: number | null;
}

/** What the pairs between BI and ID say, in their short or long spelling (ISO 32000-1, 8.9.7). */
export function inlineImageOf(entries: ReadonlyMap<string, PdfObject>, colours: ColourReader, resources: PdfDict): InlineImage {
  const get = (short: string, long: string): PdfObject => entries.get(short) ?? entries.get(long) ?? null;
  const isMask = get('IM', 'ImageMask') === true;
  const colourSpace = get('CS', 'ColorSpace');
  const width = get('W', 'Width');
  const height = get('H', 'Height');
  const bits = isMask ? 1 : get('BPC', 'BitsPerComponent');
  if (get('F', 'Filter') !== null || typeof width !== 'number' || typeof height !== 'number' || typeof bits !== 'number') return { isMask, colourSpace, dataLength: null };
  const components = isMask || colourSpace === null ? 1 : colours.space(colourSpace, resources, 0).components;
  const dataLength = Math.ceil((width * bits * components) / 8) * height;
  return { isMask, colourSpace, dataLength: Number.isSafeInteger(dataLength) && dataLength >= 0 ? dataLength : null };
}
