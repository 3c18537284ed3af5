import { deflateSync } from 'node:zlib';

/** Writes small PDFs object by object, with a correct cross-reference. Bodies are raw PDF syntax. */
export class PdfBuilder {
  private readonly objects = new Map<number, Buffer>();
  private readonly compressed = new Set<number>();
  private next = 1;

  reserve(): number {
    const num = this.next;
    this.next += 1;
    return num;
  }

  /** Puts an object; `packed` puts it into an object stream (the file then has a cross-reference stream). */
  put(body: string, num: number = this.reserve(), packed = false): number {
    this.objects.set(num, Buffer.from(body, 'latin1'));
    if (packed) this.compressed.add(num);
    return num;
  }

  stream(data: string | Uint8Array, entries = '', options: { flate?: boolean; num?: number } = {}): number {
    const plain = typeof data === 'string' ? Buffer.from(data, 'latin1') : Buffer.from(data);
    const bytes = options.flate === true ? deflateSync(plain) : plain;
    const filter = options.flate === true ? '/Filter /FlateDecode ' : '';
    const num = options.num ?? this.reserve();
    this.objects.set(num, Buffer.concat([Buffer.from(`<< ${entries} ${filter}/Length ${bytes.length} >>\nstream\n`, 'latin1'), bytes, Buffer.from('\nendstream', 'latin1')]));
    return num;
  }

  build(root: number, trailer = ''): Uint8Array {
    return this.compressed.size === 0 ? this.buildClassic(root, trailer) : this.buildPacked(root, trailer);
  }

  private body(): { parts: Buffer[]; offsets: Map<number, number>; length: number } {
    const parts = [Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
    const offsets = new Map<number, number>();
    let length = parts[0]?.length ?? 0;
    for (const [num, body] of this.objects) {
      if (this.compressed.has(num)) continue;
      offsets.set(num, length);
      const part = Buffer.concat([Buffer.from(`${num} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
      parts.push(part);
      length += part.length;
    }
    return { parts, offsets, length };
  }

  private buildClassic(root: number, trailer: string): Uint8Array {
    const { parts, offsets, length } = this.body();
    let xref = `xref\n0 ${this.next}\n0000000000 65535 f \n`;
    for (let num = 1; num < this.next; num += 1) {
      const offset = offsets.get(num);
      xref += offset === undefined ? '0000000000 00000 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
    }
    return Buffer.concat([...parts, Buffer.from(`${xref}trailer\n<< /Size ${this.next} /Root ${root} 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF\n`)]);
  }

  private buildPacked(root: number, trailer: string): Uint8Array {
    const members = [...this.compressed];
    let directory = '';
    let bodies = '';
    for (const num of members) {
      directory += `${num} ${bodies.length} `;
      bodies += `${this.objects.get(num)?.toString('latin1') ?? 'null'}\n`;
    }
    const container = this.stream(directory + bodies, `/Type /ObjStm /N ${members.length} /First ${directory.length}`, { flate: true });
    const { parts, offsets, length } = this.body();
    const xrefNum = this.reserve();
    const rows = Buffer.alloc(this.next * 7);
    for (let num = 0; num < this.next; num += 1) {
      const offset = num === xrefNum ? length : offsets.get(num);
      const member = members.indexOf(num);
      rows[num * 7] = offset !== undefined ? 1 : member >= 0 ? 2 : 0;
      rows.writeUInt32BE(offset ?? (member >= 0 ? container : 0), num * 7 + 1);
      rows.writeUInt16BE(member >= 0 ? member : 0, num * 7 + 5);
    }
    const data = deflateSync(rows);
    const head = `${xrefNum} 0 obj\n<< /Type /XRef /W [1 4 2] /Size ${this.next} /Root ${root} 0 R ${trailer} /Filter /FlateDecode /Length ${data.length} >>\nstream\n`;
    return Buffer.concat([...parts, Buffer.from(head), data, Buffer.from(`\nendstream\nendobj\nstartxref\n${length}\n%%EOF\n`)]);
  }
}

export interface PageOptions {
  content: string | Uint8Array;
  mediaBox?: string;
  pageEntries?: string;
  resources?: string;
  catalogEntries?: string;
  trailer?: string;
  flate?: boolean;
  /** Called before the page is written, to add objects. */
  prepare?: (builder: PdfBuilder) => void;
  builder?: PdfBuilder;
}

/** A file of one page. */
export function onePage(options: PageOptions): Uint8Array {
  const builder = options.builder ?? new PdfBuilder();
  const pages = builder.reserve();
  const contents = builder.stream(options.content, '', { flate: options.flate ?? false });
  const page = builder.put(
    `<< /Type /Page /Parent ${pages} 0 R /MediaBox ${options.mediaBox ?? '[0 0 283.46457 283.46457]'} /Resources << ${options.resources ?? ''} >> /Contents ${contents} 0 R ${options.pageEntries ?? ''} >>`,
  );
  builder.put(`<< /Type /Pages /Kids [${page} 0 R] /Count 1 >>`, pages);
  const root = builder.put(`<< /Type /Catalog /Pages ${pages} 0 R ${options.catalogEntries ?? ''} >>`);
  return builder.build(root, options.trailer ?? '');
}

/** Entry of a /ColorSpace dictionary: a Separation over DeviceCMYK. */
export function separation(name: string): string {
  return `[/Separation /${name} /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 1 0 0] /N 1 >>]`;
}

/** Points per millimetre. */
export const PT = 72 / 25.4;

export function pt(mm: number): string {
  return (mm * PT).toFixed(5);
}

export const PAGE_100MM = '[0 0 283.46457 283.46457]';
