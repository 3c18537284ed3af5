import { tooComplex } from './refusal.ts';

/** Caps on what one file may cost. Each of them refuses with PDF_TOO_COMPLEX and its name. Source: pdf-cut-paths.md section 3. */
export interface PdfLimits {
  /** One stream, decoded. */
  readonly maxStreamBytes: number;
  /** All streams together, decoded; object and cross-reference streams included. */
  readonly maxDecodedBytes: number;
  readonly maxOperators: number;
  readonly maxCutPoints: number;
  readonly maxFormDepth: number;
  readonly maxFormCalls: number;
  /** Depth of q, and the number of Q without q. */
  readonly maxStateDepth: number;
  /** Entries of cross-reference tables, and objects found when such a table is rebuilt. */
  readonly maxObjects: number;
  /** Bytes of file structure that may be parsed, overlapping objects counted each time. */
  readonly maxParsedBytes: number;
}

export const DEFAULT_LIMITS: PdfLimits = {
  maxStreamBytes: 64 * 2 ** 20,
  maxDecodedBytes: 256 * 2 ** 20,
  maxOperators: 20_000_000,
  maxCutPoints: 2_000_000,
  maxFormDepth: 24,
  maxFormCalls: 100_000,
  maxStateDepth: 512,
  maxObjects: 4_000_000,
  maxParsedBytes: 512 * 2 ** 20,
};

/** Images of more pixels are not looked at for ink: drawing them takes more memory than a file may. The renderer leaves them out
 * without a word, so that their boxes have to decide. */
export const MOST_DRAWN_PIXELS = 32 * 2 ** 20;

/** What one document has used up of its limits. */
export class Budget {
  readonly limits: PdfLimits;
  private decodedBytes = 0;
  private parsedBytes = 0;

  constructor(limits: PdfLimits) {
    this.limits = limits;
  }

  /** The most that the next stream may decode to. */
  streamAllowance(): number {
    return Math.max(0, Math.min(this.limits.maxStreamBytes, this.limits.maxDecodedBytes - this.decodedBytes));
  }

  refuseStream(): never {
    if (this.streamAllowance() < this.limits.maxStreamBytes) tooComplex('decoded bytes in all streams together', this.limits.maxDecodedBytes);
    tooComplex('decoded bytes in one stream', this.limits.maxStreamBytes);
  }

  decoded(byteCount: number): void {
    this.decodedBytes += byteCount;
    if (this.decodedBytes > this.limits.maxDecodedBytes) tooComplex('decoded bytes in all streams together', this.limits.maxDecodedBytes);
  }

  parsed(byteCount: number): void {
    this.parsedBytes += byteCount;
    if (this.parsedBytes > this.limits.maxParsedBytes) tooComplex('bytes of file structure', this.limits.maxParsedBytes);
  }
}
