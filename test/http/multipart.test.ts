import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { multipartBoundary, parseMultipart, type Form } from '../../src/http/multipart.ts';

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

function parsed(body: string | Buffer, boundary = 'X'): Form {
  const result = parseMultipart(typeof body === 'string' ? bytesOf(body) : body, boundary);
  assert.ok(result.ok, result.ok ? '' : result.problem.detail);
  return result.value;
}

function refusal(body: string): string {
  const result = parseMultipart(bytesOf(body), 'X');
  assert.ok(!result.ok, 'expected a refusal');
  assert.equal(result.problem.code, 'MALFORMED_MULTIPART');
  return result.problem.detail;
}

function part(disposition: string, content: string, more = ''): string {
  return `--X\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
}

function fileName(disposition: string): string | undefined {
  return parsed(Buffer.from(`${part(`name="file"; ${disposition}`, 'x')}--X--\r\n`, 'utf8')).files.get('file')?.fileName;
}

describe('a multipart form', () => {
  it('gives fields and files, bytes untouched', () => {
    const form = parsed(`${part('name="name"', 'Sheet 1')}${part('name="file"; filename="a.pdf"', '\x00\xff\r\n--Y\r\n', 'Content-Type: application/pdf\r\n')}--X--\r\n`);
    assert.deepEqual([...form.fields], [['name', 'Sheet 1']]);
    const file = form.files.get('file');
    assert.equal(file?.contentType, 'application/pdf');
    assert.deepEqual(Buffer.from(file.bytes), bytesOf('\x00\xff\r\n--Y\r\n'));
  });

  it('may have a preamble, an epilogue, padded delimiters, empty parts and no final line break', () => {
    const form = parsed(`ignored\r\n--X \t\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n--X\r\ncontent-disposition:form-data;name=b\r\n\r\nv\r\n--X-- epilogue`);
    assert.deepEqual([...form.fields], [['a', ''], ['b', 'v']]);
    assert.equal(parsed('--X--').fields.size, 0);
  });

  it('takes file names as browsers, curl and old clients write them', () => {
    assert.equal(fileName('filename="Größe.pdf"'), 'Größe.pdf');
    assert.equal(fileName('filename="say %22hi%22 100%.pdf"'), 'say "hi" 100%.pdf');
    assert.equal(fileName('filename="say \\"hi\\".pdf"'), 'say "hi".pdf');
    assert.equal(fileName('filename="C:\\prints\\a.pdf"'), 'C:\\prints\\a.pdf');
    assert.equal(fileName('filename=plain.pdf'), 'plain.pdf');
    assert.equal(fileName("filename=\"fallback.pdf\"; filename*=UTF-8'en'%e2%82%ac%20rates.pdf"), '€ rates.pdf');
    assert.equal(fileName("filename*=iso-8859-1''%E9t%E9.pdf"), 'été.pdf');
    assert.equal(fileName('filename="../../etc/passwd"'), '../../etc/passwd');
  });

  it('takes a file name in another encoding than UTF-8 as Latin-1', () => {
    assert.equal(parsed(`${part('name="file"; filename="\xe9t\xe9.pdf"', 'x')}--X--`).files.get('file')?.fileName, 'été.pdf');
  });

  it('counts a file control in which nothing was chosen as absent', () => {
    assert.equal(parsed(`${part('name="file"; filename=""', '')}--X--`).files.size, 0);
    assert.equal(parsed(`${part('name="file"; filename=""', 'x')}--X--`).files.size, 1);
  });

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['nothing', '', /does not occur/],
    ['garbage', 'hello world', /does not occur/],
    ['another boundary', '--Y\r\n\r\n\r\n--Y--', /does not occur/],
    ['a truncated head', '--X\r\nContent-Disposition: form-da', /part 1 is cut off in its head/],
    ['truncated content', part('name="a"', 'v'), /missing|neither a line break/],
    ['a missing last boundary', `--X\r\nContent-Disposition: form-data; name="a"\r\n\r\nvalue`, /part 1 is cut off/],
    ['a boundary that goes on', '--Xtra\r\nContent-Disposition: form-data; name="a"\r\n\r\nv\r\n--X--', /neither a line break/],
    ['no Content-Disposition', '--X\r\nContent-Type: text/plain\r\n\r\nv\r\n--X--', /no usable Content-Disposition/],
    ['no head at all', '--X\r\n\r\nv\r\n--X--', /no usable Content-Disposition/],
    ['no name', '--X\r\nContent-Disposition: form-data\r\n\r\nv\r\n--X--', /no usable Content-Disposition/],
    ['an empty name', `${part('name=""', 'v')}--X--`, /no usable Content-Disposition/],
    ['another disposition', '--X\r\nContent-Disposition: attachment; name="a"\r\n\r\nv\r\n--X--', /no usable Content-Disposition/],
    ['two names', `${part('name="a"; name="b"', 'v')}--X--`, /no usable Content-Disposition/],
    ['an open quote', `${part('name="a', 'v')}--X--`, /no usable Content-Disposition/],
    ['a broken extended name', `${part("name=\"file\"; filename*=UTF-8''%zz", 'v')}--X--`, /no usable Content-Disposition/],
    ['a line that is no header', '--X\r\nnonsense\r\n\r\nv\r\n--X--', /no header/],
    ['the same header twice', '--X\r\nContent-Disposition: form-data; name="a"\r\nContent-Disposition: form-data; name="b"\r\n\r\nv\r\n--X--', /no header/],
    ['a field twice', `${part('name="a"', '1')}${part('name="a"', '2')}--X--`, /two parts named "a"/],
    ['a file twice', `${part('name="a"; filename="x"', '1')}${part('name="a"; filename="y"', '2')}--X--`, /two parts named "a"/],
    ['a field that is not UTF-8', `${part('name="a"', '\xff')}--X--`, /not UTF-8/],
    ['base64', `${part('name="a"', 'dg==', 'Content-Transfer-Encoding: base64\r\n')}--X--`, /encoded as "base64"/],
    ['a huge head', `--X\r\nA: ${'x'.repeat(9000)}\r\n\r\nv\r\n--X--`, /longer than 8192/],
    ['65 parts', `${Array.from({ length: 65 }, (_, i) => part(`name="f${i}"`, 'v')).join('')}--X--`, /more than 64 parts/],
  ];
  for (const [name, body, why] of refused) {
    it(`is refused with a reason: ${name}`, () => assert.match(refusal(body), why));
  }

  it('does not take long to refuse, whatever is in its head', () => {
    const started = process.hrtime.bigint();
    for (const head of [`name="${'\\'.repeat(8000)}`, `name=${' '.repeat(8000)}x`, ';'.repeat(8000), `name="a"${' ;'.repeat(4000)}`, `filename*=UTF-8''${'%41'.repeat(2600)}!`, `name="${'\\"'.repeat(4000)}`]) {
      parseMultipart(bytesOf(`${part(head, 'v')}--X--`), 'X');
    }
    assert.ok(process.hrtime.bigint() - started < 500_000_000n);
  });

  it('round-trips any fields and files', () => {
    const name = fc.stringMatching(/^[a-z_]{1,12}$/);
    const content = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)).filter((bytes) => !bytes.includes('\r\n--X'));
    fc.assert(fc.property(fc.uniqueArray(fc.tuple(name, content), { selector: ([key]) => key, maxLength: 6 }), (files) => {
      const body = Buffer.concat([...files.flatMap(([key, bytes]) => [bytesOf(`--X\r\nContent-Disposition: form-data; name="${key}"; filename="f"\r\n\r\n`), bytes, bytesOf('\r\n')]), bytesOf('--X--\r\n')]);
      const form = parsed(body);
      assert.deepEqual([...form.files].map(([key, file]) => [key, Buffer.from(file.bytes)]), files);
    }), { numRuns: 200 });
  });

  it('never throws, whatever the bytes', () => {
    const piece = fc.constantFrom('--X', '\r\n', '--', 'Content-Disposition: form-data; name="a"', ': ', ';', '"', '\\', 'x', '\xff', '\x00', '--X--', '\r\n\r\n');
    fc.assert(fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const result = parseMultipart(bytesOf(pieces.join('')), 'X');
      assert.ok(result.ok || result.problem.detail !== '');
    }), { numRuns: 2000 });
  });
});

describe('the boundary', () => {
  const boundary = (contentType: string | undefined): string => {
    const result = multipartBoundary(contentType);
    return result.ok ? result.value : result.problem.code;
  };

  it('is read from the Content-Type, quoted or not', () => {
    assert.equal(boundary('multipart/form-data; boundary=----WebKitFormBoundary7MA4'), '----WebKitFormBoundary7MA4');
    assert.equal(boundary('Multipart/Form-Data; charset=utf-8; Boundary="a b:c"'), 'a b:c');
  });

  it('is asked for by 400, a form by 415', () => {
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary="a "', `multipart/form-data; boundary=${'x'.repeat(71)}`, 'multipart/form-data; boundary="ä"', 'multipart/form-data; boundary=a; boundary=b', 'multipart/form-data; boundary="a']) {
      assert.equal(boundary(type), 'MALFORMED_MULTIPART', type);
    }
    for (const type of [undefined, '', 'multipart/mixed; boundary=x', 'application/pdf', 'multipart/form-datax; boundary=x']) assert.equal(boundary(type), 'UNSUPPORTED_MEDIA_TYPE', type);
  });
});
