import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { rc4 } from '../../src/pdf/crypt.ts';
import { inkInRegions, writeMarked } from '../../src/pdf/index.ts';
import { PdfBuilder, separation } from './builder.ts';
import { CUT_CONTOUR, open, read } from './shapes.ts';

const FILE_ID = Buffer.from('0123456789abcdef', 'latin1');
const OWNER_ENTRY = Buffer.alloc(32, 7);
const PERMISSIONS = -44;
const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

type FilterName = 'StdCF' | 'Identity';

interface Protection {
  readonly password: string;
  readonly page: FilterName;
  readonly attachments: FilterName;
  readonly encryptMetadata: boolean;
  /** The content of the page names its crypt filter itself. */
  readonly namesPageFilter?: boolean;
}

function md5(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('md5');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Revision 4 with RC4 of 128 bits: ISO 32000-1, algorithms 2 and 5. */
function keyOf({ password, encryptMetadata }: Protection): { key: Buffer; userEntry: Buffer } {
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(PERMISSIONS);
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);
  let key = md5(padded, OWNER_ENTRY, permissions, FILE_ID, ...(encryptMetadata ? [] : [Buffer.alloc(4, 255)]));
  for (let i = 0; i < 50; i += 1) key = md5(key);
  let check = rc4(key, md5(PADDING, FILE_ID));
  for (let i = 1; i <= 19; i += 1) check = rc4(key.map((byte) => byte ^ i), check);
  return { key, userEntry: Buffer.concat([check, Buffer.alloc(16)]) };
}

/** A page with a cut, an attachment, metadata, and a stream that names the crypt filter Identity. */
function secured(protection: Protection): Buffer {
  const { key, userEntry } = keyOf(protection);
  const builder = new PdfBuilder();
  const stream = (text: string, filter: FilterName, entries: string): number => {
    const num = builder.reserve();
    const objectKey = md5(key, Uint8Array.of(num & 255, num >> 8, 0, 0, 0));
    return builder.stream(filter === 'Identity' ? text : rc4(objectKey, Buffer.from(text, 'latin1')), entries, { num });
  };
  const contents = stream('/C CS 1 SCN 30 30 100 100 re S 0 g 200 200 20 20 re f', protection.namesPageFilter === true ? 'StdCF' : protection.page,
    protection.namesPageFilter === true ? '/Filter [/Crypt] /DecodeParms [<< /Name /StdCF >>]' : '');
  const attachment = stream('the attachment', protection.attachments, '/Type /EmbeddedFile');
  const metadata = stream('the metadata', protection.encryptMetadata ? protection.page : 'Identity', '/Type /Metadata /Subtype /XML');
  const own = stream('the exception', 'Identity', '/Filter [/Crypt] /DecodeParms [<< /Type /CryptFilterDecodeParms /Name /Identity >>]');
  const pages = builder.reserve();
  const page = builder.put(`<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 283 283] /Resources << /ColorSpace << /C ${separation('CutContour')} >> >> /Contents ${contents} 0 R >>`);
  builder.put(`<< /Type /Pages /Kids [${page} 0 R] /Count 1 >>`, pages);
  const spec = builder.put(`<< /Type /Filespec /EF << /F ${attachment} 0 R >> >>`);
  const root = builder.put(`<< /Type /Catalog /Pages ${pages} 0 R /Metadata ${metadata} 0 R /Names << /EmbeddedFiles << /Names [<61> ${spec} 0 R] >> >> /Own ${own} 0 R >>`);
  const encrypt = `<< /Filter /Standard /V 4 /R 4 /Length 128 /P ${PERMISSIONS} /O <${OWNER_ENTRY.toString('hex')}> /U <${userEntry.toString('hex')}> `
    + `/EncryptMetadata ${protection.encryptMetadata} /CF << /StdCF << /CFM /V2 /Length 16 /AuthEvent /${protection.page === 'Identity' ? 'EFOpen' : 'DocOpen'} >> >> `
    + `/StmF /${protection.page} /StrF /${protection.page} /EFF /${protection.attachments} >>`;
  const id = FILE_ID.toString('hex');
  return Buffer.from(builder.build(root, `/Encrypt ${builder.put(encrypt)} 0 R /ID [<${id}> <${id}>]`));
}

async function marked(original: Uint8Array): Promise<Buffer> {
  const bytes = await writeMarked(await open(original), { rectsMm: [{ x0Mm: 5, y0Mm: 5, x1Mm: 9, y1Mm: 9 }], texts: [] });
  assert.deepEqual((await read(bytes)).paths.length, 1);
  return Buffer.from(bytes);
}

describe('the marked PDF of an encrypted file', () => {
  it('keeps attachments that alone are encrypted, and need a password, as they are', async () => {
    for (const xref of ['intact', 'damaged'] as const) {
      const whole = secured({ password: 'secret', page: 'Identity', attachments: 'StdCF', encryptMetadata: true });
      const original = xref === 'intact' ? whole : Buffer.from(whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n1'), 'latin1');
      const bytes = await marked(original);
      assert.ok(!bytes.includes('the attachment'), 'it is still encrypted');
      assert.match(bytes.toString('latin1').slice(bytes.lastIndexOf('trailer')), /\/ID \[[^]*\/Encrypt \d+ 0 R/);
      const { store } = await open(bytes);
      assert.deepEqual(store.get(2), (await open(original)).store.get(2), xref);
    }
  });

  it('is drawn all the same where only its attachments need a password', async () => {
    const original = secured({ password: 'secret', page: 'Identity', attachments: 'StdCF', encryptMetadata: true });
    const seen = await inkInRegions(original, [{ x0Mm: 60, y0Mm: 60, x1Mm: 90, y1Mm: 90 }], { cutSpotColors: CUT_CONTOUR });
    assert.ok(seen.ok && seen.by === 'rendering' && seen.inkMm[0] !== null, JSON.stringify(seen));
  });

  it('has its cut paths where the content alone is encrypted, by a filter that it names', async () => {
    const bytes = await marked(secured({ password: '', page: 'Identity', attachments: 'Identity', encryptMetadata: true, namesPageFilter: true }));
    assert.ok(!bytes.includes('/Crypt'));
  });

  for (const [name, protection] of Object.entries({
    'attachments that alone are encrypted': { password: '', page: 'Identity', attachments: 'StdCF', encryptMetadata: true },
    'attachments and metadata that alone are not encrypted': { password: '', page: 'StdCF', attachments: 'Identity', encryptMetadata: false },
    'everything encrypted': { password: '', page: 'StdCF', attachments: 'StdCF', encryptMetadata: true },
  } satisfies Record<string, Protection>)) {
    it(`has every stream in plain: ${name}`, async () => {
      const bytes = await marked(secured(protection));
      for (const text of ['the attachment', 'the metadata', 'the exception']) assert.ok(bytes.includes(text), text);
      assert.ok(!bytes.includes('/Crypt'), 'no stream names a crypt filter');
      assert.ok(!bytes.subarray(bytes.lastIndexOf('trailer')).includes('/Encrypt'));
    });
  }
});
