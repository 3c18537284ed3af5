import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Plotter } from '../../firmware-sim/plotter.ts';
import { checkCharacter, readBarcode } from '../../firmware-sim/barcode.ts';
import { FrameParser, readNames } from '../../firmware-sim/frames.ts';
import { squareJob } from './helpers.ts';

const plot = (text: string | Buffer, options: { stepMm?: number; chainsWithCommas?: boolean } = {}): Plotter => {
  const plotter = new Plotter({ stepMm: 0.1, maxSpeedMmPerS: 600, maxAccelerationLevel: 3, chainsWithCommas: false, ...options });
  plotter.lexer.push(typeof text === 'string' ? Buffer.from(text.replaceAll('␃', '\x03'), 'latin1') : text, 0, false);
  plotter.lexer.end();
  return plotter;
};
const cuts = (plotter: Plotter): readonly (readonly number[])[] => plotter.motions.filter((motion) => motion.down).map((motion) => motion.points.map((value) => Math.round(value * 1e6) / 1e6));

describe('GP-GL as the cutter reads it', () => {
  it('draws the FC9000 job of section 6', () => {
    const plotter = plot(squareJob);
    assert.equal(plotter.lexer.error, undefined);
    assert.deepEqual(plotter.marks, { feedMm: 160, carriageMm: 116, points: 4, armMm: 20, type: 2 });
    assert.deepEqual(cuts(plotter), [[30, 15, 70, 15, 70, 55, 30, 55, 30, 15]]);
    assert.deepEqual(plotter.motions.filter((motion) => !motion.down).map((motion) => motion.points), [[0, 0, 30, 15], [30, 15, 0, 0]]);
    assert.equal(plotter.sawEndOfJob, true);
  });

  it('accepts the CE6000 scan and both Silhouette jobs of section 6', () => {
    const ce = plot('TB99␃TB57,1,1␃TB59,0,0␃TB52,1␃TB51,800␃TB53,40␃TB55,1␃TB54,0,0␃TB124,10280,6800␃TB99␃', { stepMm: 0.025 });
    assert.equal(ce.lexer.error, undefined);
    assert.deepEqual(ce.marks, { feedMm: 257, carriageMm: 170, points: 4, armMm: 20, type: 1 });
    const marked = plot('TB50,0␃TB99␃TB52,2␃TB51,400␃TB53,10␃TB55,1␃TB123,4600,3600,200,100␃', { stepMm: 0.05, chainsWithCommas: true });
    assert.equal(marked.lexer.error, undefined);
    assert.deepEqual(marked.marks, { feedMm: 230, carriageMm: 180, points: 3, armMm: 20, type: 2 });
    const plain = plot('FW132␃!10␃FX10␃FC18␃FY1␃FN0␃TB50,0␃FE0,0␃\\0,0␃Z6000,8000␃L0␃FE0,0␃FF0,0,0␃M10,0␃D0,0␃D0,188␃D187,188␃D187,0␃D0,0␃D0,10␃M187,0␃SO0␃', { stepMm: 0.05 });
    assert.equal(plain.lexer.error, undefined);
    assert.deepEqual(cuts(plain), [[0.5, 0, 0, 0, 0, 9.4, 9.35, 9.4, 9.35, 0, 0, 0, 0, 0.5]]);
  });

  it('decodes the binary draws of section 6', () => {
    const be = (...bytes: number[]): Buffer => Buffer.from([0x42, 0x45, ...bytes, 3]);
    const at = (data: Buffer): readonly number[] | undefined => cuts(plot(Buffer.concat([Buffer.from('M0,0\x03'), data]), { stepMm: 1 }))[0]?.slice(2);
    assert.deepEqual(at(be(0x31, 0x90, 0x90)), [0, 0]);
    assert.deepEqual(at(be(0x31, 0x91, 0x90)), [0, 1]);
    assert.deepEqual(at(be(0x31, 0x90, 0x91)), [1, 0]);
    assert.deepEqual(at(be(0x31, 0x5e, 0xf4)), [100, -50]);
    assert.deepEqual(at(be(0x32, 0xb8, 0xd1, 0xd2)), [1000, -500]);
    assert.equal(plot(be(0x31, 0x90)).lexer.error?.code, 'E01003');
    assert.equal(plot(be(0x34, 0x90, 0x90)).lexer.error?.code, 'E01003');
  });

  it('takes decimals, signs, spaces, CR and LF, and commas that end commands of fixed length', () => {
    const plotter = plot('J2,M 1.5 , -2.5,D+3.25,4\r\nO-1,1␃E10,0,0,10\n', { stepMm: 1 });
    assert.equal(plotter.lexer.error, undefined);
    assert.deepEqual(cuts(plotter), [[1.5, -2.5, 3.25, 4], [2.25, 5, 12.25, 5, 12.25, 15]]);
    assert.equal(plotter.motions.at(-1)?.pen, 2);
  });

  it('lets only a Silhouette chain draws with commas', () => {
    const chain = '&100,100,100,\\0,0,Z4000,5000,L0,M10,10,D20,20,M30,30,D40,40␃';
    assert.equal(plot(chain).lexer.error?.code, 'E01004');
    assert.equal(cuts(plot(chain, { chainsWithCommas: true })).length, 2);
  });

  for (const [text, code] of [
    ['M1,2', 'E01004'], ['D1,2M3,4␃', 'E01004'], ['TB99TB51,1␃', 'E01004'], ['M1␃', 'E01002'], ['D1,2,3␃', 'E01002'], ['M1,2,3␃', 'E01001'],
    ['M1,,2␃', 'E01003'], ['M,1␃', 'E01003'], ['M--1,2␃', 'E01003'], ['M1.2.3,4␃', 'E01003'], ['M1-2,3␃', 'E01003'], ['M-,3␃', 'E01003'],
    ['M1 2,3␃', 'E01003'], ['q1␃', 'E01001'], ['TB98␃', 'E01001'], ['TB24,100␃', 'E01002'], ['M1,2\x80␃', 'E01005'], ['\x1bM1,2␃', 'E01005'],
    ['J9␃', 'E01003'], ['Y0,1,1,2,2␃', 'E01001'], ['D1,2;', 'E01004'],
  ] as const) {
    it(`refuses ${JSON.stringify(text)} with ${code}, and draws nothing after it`, () => {
      const plotter = plot(`${text}M0,0␃D50,50␃`);
      assert.equal(plotter.lexer.error?.code ?? plot(text).lexer.error?.code, code);
      assert.ok(plotter.motions.filter((motion) => motion.down).length <= 1);
      assert.equal(plot(text).lexer.error?.code, code);
    });
  }

  it('draws circles, arcs, ellipses and Bezier curves within 0.01 mm', () => {
    for (const text of ['W100,100,50,50,0,360␃', 'WP150,100,100,150,50,100␃', ')0,100,100,50,50,0,360,0␃']) {
      const [circle] = cuts(plot(text));
      assert.ok(circle !== undefined && circle.length > 40, text);
      for (let index = 0; index < circle.length; index += 2) {
        assert.ok(Math.abs(Math.hypot((circle[index] ?? 0) - 10, (circle[index + 1] ?? 0) - 10) - 5) < 0.01, text);
      }
    }
    const [arc] = cuts(plot('M150,100␃]50,50,0,90␃'));
    assert.deepEqual(arc?.slice(-2), [10, 15]);
    const [bezier] = cuts(plot('BZ0,0,0,0,100,100,100,100,0␃'));
    assert.ok(bezier?.some((value, index) => index % 2 === 1 && Math.abs(value - 7.5) < 0.01));
  });

  it('reads the same however the bytes are cut into pieces', () => {
    const whole = plot(squareJob);
    fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 60 }), (sizes) => {
      const pieces = new Plotter({ stepMm: 0.1, maxSpeedMmPerS: 600, maxAccelerationLevel: 3, chainsWithCommas: false });
      let rest = Buffer.from(squareJob, 'latin1');
      for (const size of [...sizes, rest.length]) {
        pieces.lexer.push(rest.subarray(0, size), 0, false);
        rest = rest.subarray(size);
      }
      assert.deepEqual(pieces.motions, whole.motions);
    }));
  });

  it('gives back any polyline that D or BD wrote', () => {
    const steps = fc.integer({ min: -100, max: 111 });
    fc.assert(fc.property(fc.array(fc.tuple(steps, steps), { minLength: 1, maxLength: 50 }), (points) => {
      const text = `D${points.flat().join(',')}␃`;
      const data = points.flatMap(([x, y]) => {
        const index = 224 * (x + 112) + y + 112;
        return [(index % 224) + 0x20, Math.floor(index / 224) + 0x20];
      });
      const expected = [0, 0, ...points.flat()];
      assert.deepEqual(cuts(plot(text, { stepMm: 1 })), [expected]);
      assert.deepEqual(cuts(plot(Buffer.from([0x42, 0x44, 0x31, ...data, 3]), { stepMm: 1 })), [expected]);
    }));
  });
});

describe('frames', () => {
  const take = (parser: FrameParser, text: string): string[] => {
    const bytes = Buffer.from(text, 'latin1');
    const seen: string[] = [];
    for (let at = 0; at < bytes.length;) {
      const taken = parser.take(bytes, at);
      if (taken.kind === 'more') break;
      seen.push(taken.kind === 'raw' ? `raw ${taken.bytes.toString('latin1')}` : `${taken.frame.letter} ${taken.frame.body.toString('latin1')}`);
      at = taken.next;
    }
    return seen;
  };

  it('are those of section 6', () => {
    assert.deepEqual(take(new FrameParser(), '\x1b\x2e\x64\x31\x3a'), ['d 1']);
    assert.deepEqual(take(new FrameParser(), '\x1b\x2e\x64\x33\x02\x41\x1e\x42\x03'), ['d 3\x02A\x1eB']);
    assert.deepEqual(readNames(Buffer.from('3\x02A\x1eB')), ['A', 'B']);
    assert.deepEqual(take(new FrameParser(), '\x1b\x2e\x64\x33\x03'), ['d 3']);
    assert.deepEqual(readNames(Buffer.from('3')), []);
    assert.deepEqual(take(new FrameParser(), '\x1b.d5;0;60;400;0;0:'), ['d 5;0;60;400;0;0']);
  });

  it('allow a colon in a job name', () => {
    assert.deepEqual(take(new FrameParser(), '\x1b.d3\x02A: B\x03'), ['d 3\x02A: B']);
  });

  it('hand on what is no frame, byte for byte, and begin anew at the next ESC', () => {
    assert.deepEqual(take(new FrameParser(), 'M0,0\x1b.x\x1b\x1b.d1:'), ['raw M0,0', 'raw \x1b.', 'raw x', 'raw \x1b', 'd 1']);
    assert.deepEqual(take(new FrameParser(), '\x1b.d3\x02A\x1b.d1:'), ['d 1']);
  });
});

describe('Code 39', () => {
  it('has the check characters of section 6', () => {
    assert.equal(checkCharacter('A0200ROLLF'), 'Y');
    assert.equal(checkCharacter('ABC123XYZR'), '$');
    assert.equal(checkCharacter('A0100ABCD'), 'E');
    assert.deepEqual(readBarcode('*ABC123XYZR$*'), { kind: 'link-info', linkInfo: 'ABC123XYZ' });
    assert.equal(readBarcode('*ABC123XYZRA*').kind, 'unreadable');
    assert.equal(readBarcode('abc123xyz').kind, 'not-a-code');
  });
});
