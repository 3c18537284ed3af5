import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { PT, PdfBuilder } from './builder.ts';
import { LETTER_F, assertPoints, cutPage, polygon, read } from './shapes.ts';

const CONTENT = Buffer.from(`/C CS 1 SCN ${polygon(LETTER_F, PT)} S`);

async function assertReadsThrough(data: Uint8Array, entries: string): Promise<void> {
  const builder = new PdfBuilder();
  const contents = builder.stream(data, entries);
  const reading = await read(cutPage('', { builder, pageEntries: `/Contents ${contents} 0 R` }));
  assertPoints(reading.paths[0], LETTER_F);
}

function ascii85(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < bytes.length; i += 4) {
    const count = Math.min(4, bytes.length - i);
    let value = 0;
    for (let k = 0; k < 4; k += 1) value = value * 256 + (bytes[i + k] ?? 0);
    const digits: string[] = [];
    for (let k = 0; k < 5; k += 1) {
      digits.unshift(String.fromCharCode(33 + (value % 85)));
      value = Math.floor(value / 85);
    }
    out += count === 4 && digits.join('') === '!!!!!' ? 'z' : digits.slice(0, count + 1).join('');
  }
  return `${out}~>`;
}

/** LZW with the tables of the standard, early change as given. */
function lzw(bytes: Uint8Array, early: 0 | 1): Uint8Array {
  let bits = '';
  let width = 9;
  let table = new Map<string, number>();
  const reset = () => {
    table = new Map(Array.from({ length: 256 }, (_, i) => [String.fromCharCode(i), i]));
    width = 9;
  };
  const emit = (code: number) => { bits += code.toString(2).padStart(width, '0'); };
  reset();
  emit(256);
  let prefix = '';
  let next = 258;
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    if (table.has(prefix + character)) {
      prefix += character;
      continue;
    }
    emit(table.get(prefix) ?? 0);
    table.set(prefix + character, next);
    next += 1;
    if (next + early > 2 ** width && width < 12) width += 1;
    if (next >= 4094) {
      emit(256);
      reset();
      next = 258;
    }
    prefix = character;
  }
  emit(table.get(prefix) ?? 0);
  emit(257);
  return Uint8Array.from(bits.match(/.{1,8}/g) ?? [], (octet) => parseInt(octet.padEnd(8, '0'), 2));
}

describe('content is read through', () => {
  it('deflate, whole, without its checksum, cut off, and without a header', async () => {
    const whole = deflateSync(CONTENT);
    await assertReadsThrough(whole, '/Filter /FlateDecode');
    await assertReadsThrough(whole.subarray(0, -4), '/Filter /FlateDecode');
    await assertReadsThrough(Buffer.concat([whole.subarray(0, -4), Buffer.from('junk')]), '/Filter /FlateDecode');
    await assertReadsThrough(Buffer.concat([Buffer.from([0, 0]), deflateRawSync(CONTENT)]), '/Filter /FlateDecode');
  });

  it('hexadecimal, base 85 and run lengths, alone and chained', async () => {
    await assertReadsThrough(Buffer.from(`${CONTENT.toString('hex')}>`), '/Filter /ASCIIHexDecode');
    await assertReadsThrough(Buffer.from(ascii85(CONTENT)), '/Filter /ASCII85Decode');
    await assertReadsThrough(Buffer.from(ascii85(deflateSync(CONTENT))), '/Filter [/ASCII85Decode /FlateDecode]');
    const runs = Buffer.concat([...Array.from({ length: Math.ceil(CONTENT.length / 100) }, (_, i) => {
      const part = CONTENT.subarray(i * 100, i * 100 + 100);
      return Buffer.concat([Buffer.from([part.length - 1]), part]);
    }), Buffer.from([128])]);
    await assertReadsThrough(runs, '/Filter /RunLengthDecode');
  });

  it('LZW with and without early change, long enough for every width of code', async () => {
    const long = Buffer.concat([CONTENT, Buffer.from(Array.from({ length: 12_000 }, (_, i) => `\n${(i * i * 31) % 9973} ${(i * 17) % 101} m`).join(''))]);
    await assertReadsThrough(lzw(long, 1), '/Filter /LZWDecode');
    await assertReadsThrough(lzw(long, 0), '/Filter /LZWDecode /DecodeParms << /EarlyChange 0 >>');
  });

  it('PNG and TIFF predictors', async () => {
    const columns = 20;
    const padded = Buffer.concat([CONTENT, Buffer.alloc(columns - (CONTENT.length % columns), 32)]);
    const rows = Array.from({ length: padded.length / columns }, (_, row) => {
      const type = row % 5;
      const line = padded.subarray(row * columns, (row + 1) * columns);
      const above = row === 0 ? Buffer.alloc(columns) : padded.subarray((row - 1) * columns, row * columns);
      const predicted = line.map((value, i) => {
        const left = i === 0 ? 0 : (line[i - 1] ?? 0);
        const up = above[i] ?? 0;
        const corner = i === 0 ? 0 : (above[i - 1] ?? 0);
        const p = left + up - corner;
        const [pa, pb, pc] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
        const paeth = pa <= pb && pa <= pc ? left : pb <= pc ? up : corner;
        return value - ([0, left, up, (left + up) >> 1, paeth][type] ?? 0);
      });
      return Buffer.concat([Buffer.from([type]), predicted]);
    });
    await assertReadsThrough(deflateSync(Buffer.concat(rows)), `/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns ${columns} >>`);
    const tiff = Uint8Array.from(padded, (value, i) => (i % columns === 0 ? value : value - (padded[i - 1] ?? 0)));
    await assertReadsThrough(deflateSync(tiff), `/Filter [/FlateDecode] /DecodeParms [<< /Predictor 2 /Columns ${columns} >>]`);
  });
});

describe('numbers in content', () => {
  it('are read as writers spell them', async () => {
    const spellings: [string, number][] = [['4.', 4], ['.5', 0.5], ['+7', 7], ['007.250', 7.25], ['1e1', 10], ['--3', -3], ['12345678901234567890e-18', 12.345678901234567]];
    for (const [text, value] of spellings) {
      const reading = await read(cutPage(`/C CS 1 SCN ${text} 0 m 100 100 l S`));
      assert.ok(Math.abs((reading.paths[0]?.pointsMm[0] ?? NaN) * PT - value) < 1e-9, text);
    }
  });

  it('agree with the language\'s own parser', async () => {
    await fc.assert(fc.asyncProperty(fc.double({ min: -9999, max: 9999, noNaN: true }), fc.nat(9), async (value, decimals) => {
      const text = value.toFixed(decimals);
      const reading = await read(cutPage(`/C CS 1 SCN ${text} 0 m 20000 100 l S`));
      assert.ok(Math.abs((reading.paths[0]?.pointsMm[0] ?? NaN) * PT - Number(text)) < 1e-9);
    }), { numRuns: 200 });
  });

  it('and tokens may not span two content streams, nor need white space between', async () => {
    const builder = new PdfBuilder();
    const one = builder.stream('/C CS 1 SCN 10 10 m 20 2');
    const two = builder.stream('0 l S');
    const reading = await read(cutPage('', { builder, pageEntries: `/Contents [${one} 0 R ${two} 0 R]` }));
    assert.ok(reading.paths.length === 1);
    assert.equal((await read(cutPage('/C CS 1 SCN[1]0 d(x)pop 10 10 m%comment\n20 20 l/N gs S'))).paths.length, 1);
  });
});
