import { openWithEmptyPassword } from './crypt.ts';
import type { CrossReference, Place } from './cross-reference.ts';
import { readCrossReference } from './cross-reference.ts';
import type { ContentEnd } from './interpreter.ts';
import type { PdfLimits } from './limits.ts';
import { Budget, DEFAULT_LIMITS } from './limits.ts';
import { ObjectParser } from './object-parser.ts';
import { ObjectStore } from './object-store.ts';
import { PdfDict, PdfName, PdfString, isArray } from './objects.ts';
import type { Page } from './page.ts';
import { findPage } from './page.ts';
import { guarded, refuse } from './refusal.ts';
import { findOfType, rebuild } from './repair.ts';
import type { PageFacts, PdfRefusal, PdfWarning } from './types.ts';

/** An opened file of one page. Opaque to other rooms but for the page size. */
export interface PdfDocument {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly warnings: readonly PdfWarning[];
  /** @internal */
  readonly facts: PageFacts;
  /** @internal */
  readonly store: ObjectStore;
  /** @internal */
  readonly trailer: PdfDict;
  /** @internal */
  readonly catalog: PdfDict;
  /** @internal */
  readonly page: Page;
  /** @internal Null where the file was repaired or is decrypted: then nothing can be appended to its bytes. */
  readonly appendAfter: { readonly offset: number; readonly isStream: boolean } | null;
  /** @internal Remembers how the content of the page ends, once it was interpreted. */
  readonly memo: { end: ContentEnd | null };
}

export type OpenResult =
  | { readonly ok: true; readonly document: PdfDocument }
  | { readonly ok: false; readonly failure: PdfRefusal };

/** Opens a PDF of one page. A pure function of the bytes, which it keeps and does not copy. Nothing is inflated beyond the
 * limits, and only what the page needs is parsed.
 * Failures: NOT_A_PDF, PDF_ENCRYPTED, PDF_UNREADABLE, PDF_TOO_COMPLEX, MULTIPLE_PAGES. */
export function openPdf(bytes: Uint8Array, limits: Partial<PdfLimits> = {}): Promise<OpenResult> {
  const result = guarded(() => open(bytes, { ...DEFAULT_LIMITS, ...limits }));
  return Promise.resolve(result.ok ? { ok: true, document: result.value } : result);
}

function open(input: Uint8Array, limits: PdfLimits): PdfDocument {
  const file = Buffer.from(input.buffer, input.byteOffset, input.length);
  // ISO 32000-1, annex H: viewers accept the header within the first 1,024 bytes.
  const header = file.subarray(0, 1024 + 5).indexOf('%PDF-');
  if (header < 0) refuse('NOT_A_PDF', 'The file does not begin with %PDF-; it is not a PDF.');
  const bytes = input.subarray(header);
  const store = new ObjectStore(bytes, new Budget(limits));
  const intact = openIntact(store);
  if (intact !== null) return intact;
  return openRepaired(store);
}

const cutOff: PdfWarning = {
  code: 'PDF_REPAIRED',
  detail: 'The PDF breaks off in the middle of its last change, so that the page was read as it was before it; cut paths may be older ones. Export it again.',
};

/** Null where the cross-reference is no good. */
function openIntact(store: ObjectStore): PdfDocument | null {
  const xref = readCrossReference(store.bytes, store.objectAt, store.budget);
  if (xref === null) return null;
  store.reset(xref.places, null);
  if (!placesHold(store, xref)) return null;
  decrypt(store, xref.trailer);
  const catalog = store.dict(xref.trailer, 'Root');
  if (catalog === null || store.dict(catalog, 'Pages') === null) return null;
  const page = findPage(store, catalog);
  return {
    widthMm: page.frame.widthMm,
    heightMm: page.frame.heightMm,
    warnings: xref.isCutOff ? [cutOff, ...page.warnings] : page.warnings,
    facts: factsOf(store, catalog, page, false),
    store,
    trailer: xref.trailer,
    catalog,
    page,
    memo: { end: null },
    appendAfter: store.decryptor?.keepsSecrets !== false ? { offset: xref.newestOffset, isStream: xref.newestIsStream } : null,
  };
}

/** Whether each offset leads to the object it promises. Entries that lead nowhere are common and harmless where the object
 * is nowhere else either; then the entry is dropped. */
function placesHold(store: ObjectStore, xref: CrossReference): boolean {
  const missing: number[] = [];
  for (const [num, place] of xref.places) {
    if (place === null || !('offset' in place)) continue;
    const parser = new ObjectParser(store.bytes, place.offset, store.bytes.length);
    const found = parser.unsigned();
    if (found !== num || parser.unsigned() < 0 || !parser.keyword('obj')) missing.push(num);
  }
  if (missing.length === 0) return true;
  const { places } = rebuild(store, () => undefined);
  if (missing.some((num) => places.has(num))) return false;
  for (const num of missing) xref.places.delete(num);
  store.reset(xref.places, null);
  return true;
}

function openRepaired(store: ObjectStore): PdfDocument {
  const { places, trailer } = rebuild(store, (found) => { decrypt(store, found); });
  const catalog = store.dict(trailer, 'Root') ?? catalogOfLoosePages(store, places);
  if (catalog === null) refuse('PDF_UNREADABLE', 'The PDF is damaged: no catalogue and no page could be found in it. Export it again.');
  const page = findPage(store, catalog);
  return {
    widthMm: page.frame.widthMm,
    heightMm: page.frame.heightMm,
    warnings: [{ code: 'PDF_REPAIRED', detail: 'The cross-reference of the PDF is damaged; its objects were found by searching the file.' }, ...page.warnings],
    facts: factsOf(store, catalog, page, true),
    store,
    trailer,
    catalog,
    page,
    memo: { end: null },
    appendAfter: null,
  };
}

function factsOf(store: ObjectStore, catalog: PdfDict, { boxesMm, frame }: Page, isRepaired: boolean): PageFacts {
  const header = /^%PDF-(\d\.\d)/.exec(Buffer.from(store.bytes.subarray(0, 16)).toString('latin1'))?.[1] ?? '';
  const stated = store.value(catalog, 'Version');
  const later = stated instanceof PdfName && /^\d\.\d$/.test(stated.text) && stated.text > header ? stated.text : header;
  return { pdfVersion: later, boxesMm, rotate: frame.rotate, userUnit: frame.userUnit, isRepaired, isEncrypted: store.decryptor !== null };
}

function catalogOfLoosePages(store: ObjectStore, places: Map<number, Place>): PdfDict | null {
  const root = findOfType(store, places, 'Pages') ?? findOfType(store, places, 'Page');
  return root === null ? null : new PdfDict(new Map([['Pages', root]]));
}

function decrypt(store: ObjectStore, trailer: PdfDict): void {
  const encrypt = store.value(trailer, 'Encrypt');
  if (!(encrypt instanceof PdfDict)) return;
  const ids = store.value(trailer, 'ID');
  const id = isArray(ids) ? store.resolve(ids[0] ?? null) : null;
  const result = openWithEmptyPassword(encrypt, id instanceof PdfString ? id.bytes : new Uint8Array(0), store.resolve);
  if (!result.ok) refuse('PDF_ENCRYPTED', `The PDF is encrypted and cannot be read: ${result.detail}. Save it without a password.`);
  store.reset(store.places, result.decryptor);
}
