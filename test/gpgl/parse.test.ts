import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { eachCommand, type Geometry, type GpglFailureCode, type StepsPerMm } from '../../src/gpgl/index.ts';
import { geometryOf, polylinesOf, type Polyline } from '../support/paths.ts';

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text.replaceAll('␃', '\x03'), 'latin1'));
}

interface Command {
  readonly name: string;
  readonly parameters: readonly number[];
  readonly text: string | null;
}

function commands(text: string): readonly Command[] {
  const read: Command[] = [];
  const failure = eachCommand(bytesOf(text), (name, parameters, _, rest) => {
    read.push({ name, parameters: [...parameters.copyFrom(0)], text: rest });
  });
  assert.equal(failure, null);
  return read;
}

function listing(text: string): string[] {
  return commands(text).map(({ name, parameters }) => `${name} ${parameters.join(' ')}`.trim());
}

function geometry(text: string, stepsPerMm: StepsPerMm): Geometry {
  return geometryOf(bytesOf(text), stepsPerMm);
}

function polylines(text: string, stepsPerMm: StepsPerMm): Polyline[] {
  return polylinesOf(geometry(text, stepsPerMm));
}

function refusal(text: string): { code: GpglFailureCode; offset: number } {
  const failure = eachCommand(bytesOf(text), () => undefined);
  assert.ok(failure !== null, `${text} was read`);
  return { code: failure.code, offset: failure.offset };
}

describe('reading GP-GL', () => {
  it('reads the CE6000 mark scan of the reference', () => {
    const read = geometry('TB99␃TB57,1,1␃TB59,0,0␃TB52,1␃TB51,800␃TB53,40␃TB55,1␃TB54,0,0␃TB124,10280,6800␃TB99␃', 40);
    assert.deepEqual(read.markBlock, { armMm: 20, markType: 1, feedDistanceMm: 257, carriageDistanceMm: 170 });
  });

  it('reads the Silhouette jobs of the reference', () => {
    const marks = geometry('TB50,0␃TB99␃TB52,2␃TB51,400␃TB53,10␃TB55,1␃TB123,4600,3600,200,100␃', 20);
    assert.deepEqual(marks.markBlock, { armMm: 20, markType: 2, feedDistanceMm: 230, carriageDistanceMm: 180 });
    const plain = polylines('\x1b\x04FW132␃!10␃FX10␃FC18␃FY1␃FN0␃TB50,0␃FE0,0␃\\0,0␃Z6000,8000␃L0␃FE0,0␃FF0,0,0␃M10,0␃D0,0␃D0,188␃D187,188␃D187,0␃D0,0␃D0,10␃M187,0␃SO0␃', 20);
    assert.equal(plain.length, 1);
    assert.deepEqual([...(plain[0]?.pointsMm ?? [])], [0.5, 0, 0, 0, 0, 9.4, 9.35, 9.4, 9.35, 0, 0, 0, 0, 0.5]);
  });

  it('accepts commands of fixed length that are chained with commas', () => {
    assert.deepEqual(listing('&100,100,100,\\0,0,Z4000,5000,L0,M1,2,D3,4␃'), ['& 100 100 100', '\\ 0 0', 'Z 4000 5000', 'L 0', 'M 1 2', 'D 3 4']);
  });

  it('accepts decimals, signs, spaces and CR LF as terminators', () => {
    assert.deepEqual(listing(' M 175.24 , -577.08\r\nD +1,2 \nTB124,4622.80,4209.60␃'), ['M 175.24 -577.08', 'D 1 2', 'TB 124 4622.8 4209.6']);
  });

  it('reads a semicolon before the last pair of a curve, and alone as a command', () => {
    assert.deepEqual(listing(';Y0,1,2,3,4;5,6␃:'), [';', 'Y 0 1 2 3 4 5 6', ':']);
  });

  it('keeps the text of a text command', () => {
    assert.equal(commands('PHello, D1␃M0,0␃')[0]?.text, 'Hello, D1');
  });

  it('decodes binary draws in each of the three widths', () => {
    assert.deepEqual(listing('BE1\x90\x90\x91\x90\x90\x91\x5e\xf4␃'), ['BE 0 0 0 1 1 0 100 -50']);
    assert.deepEqual(listing('BE2\xb8\xd1\xd2␃'), ['BE 1000 -500']);
    fc.assert(fc.property(fc.integer({ min: -375482, max: 375481 }), fc.integer({ min: -375482, max: 375481 }), (x, y) => {
      let index = 750964n * BigInt(x + 375482) + BigInt(y + 375482);
      let data = '';
      for (let place = 0; place < 5; place++) {
        data += String.fromCharCode(Number(index % 224n) + 0x20);
        index /= 224n;
      }
      assert.deepEqual(listing(`BD3${data}␃`), [`BD ${x} ${y}`]);
    }));
  });

  it('chains relative moves and draws', () => {
    assert.deepEqual([...(polylines('M100,100␃O10,-10␃E10,0,0,10␃', 10)[0]?.pointsMm ?? [])], [11, 9, 12, 9, 12, 10]);
  });

  it('names what it does not work out instead of leaving it unsaid', () => {
    assert.deepEqual(geometry('M0,0␃W0,0,5,5,0,3600␃&2,2,1,BZ0,0,0,1,1,2,2,3,3␃', 10).uninterpreted, ['W', '&', 'BZ']);
  });

  for (const [text, code, offset] of [
    ['M1,2', 'MISSING_TERMINATOR', 0],
    ['M0,0␃D1,2,', 'MISSING_TERMINATOR', 5],
    ['D1,2,M0,0␃', 'MISSING_TERMINATOR', 5],
    ['M1,2D3,4␃', 'MISSING_TERMINATOR', 4],
    ['M1␃', 'WRONG_PARAMETER_COUNT', 0],
    ['M1,2,3␃', 'WRONG_PARAMETER_COUNT', 0],
    ['D1,2,3␃', 'WRONG_PARAMETER_COUNT', 0],
    ['TB24,5␃', 'WRONG_PARAMETER_COUNT', 0],
    ['TB124,1,2,3␃', 'WRONG_PARAMETER_COUNT', 0],
    ['TB77,1␃', 'UNKNOWN_COMMAND', 0],
    ['M0,0␃z1␃', 'UNKNOWN_COMMAND', 5],
    ['M1.,2␃', 'MALFORMED_NUMBER', 1],
    ['M-,2␃', 'MALFORMED_NUMBER', 1],
    ['M1234567890123456,2␃', 'MALFORMED_NUMBER', 1],
    ['M1,,2␃', 'WRONG_PARAMETER_COUNT', 0],
    ['M1,2,,D3,4␃', 'UNEXPECTED_BYTE', 5],
    ['M1,2\x00␃', 'UNEXPECTED_BYTE', 4],
    ['5,6␃', 'UNEXPECTED_BYTE', 0],
    ['BD4abc␃', 'MALFORMED_BINARY', 2],
    ['BD1abc␃', 'MALFORMED_BINARY', 3],
    ['BD1\x90\x90', 'MISSING_TERMINATOR', 0],
    ['\x1b.d1:', 'CONTROL_SEQUENCE', 0],
    ['=13␃', 'TERMINATOR_REDEFINED', 0],
  ] as const) {
    it(`refuses ${JSON.stringify(text)} with ${code} at byte ${offset}`, () => {
      assert.deepEqual(refusal(text), { code, offset });
    });
  }

  it('ends with a result on any bytes at all', () => {
    const commandLike = fc.array(fc.constantFrom(...Array.from('MDEOTBJ0123456789,.-;␃ PYFG=&\x1b\x90'))).map((parts) => bytesOf(parts.join('')));
    fc.assert(fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), commandLike), (bytes) => {
      const failure = eachCommand(bytes, () => undefined);
      if (failure !== null) assert.ok(failure.offset <= bytes.length);
    }), { numRuns: 500 });
  });
});
