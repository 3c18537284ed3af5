import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Tool } from '../../src/pdf/index.ts';
import { PdfBuilder, onePage, separation } from './builder.ts';
import { codesOf, cutPage, read, refusalOf } from './shapes.ts';

const SQUARE = '30 30 100 100 re';

interface LayerSpec {
  /** Entries of the group besides Type and Name. */
  entries: string;
  name?: string;
}

/** A page with groups as /L0, /L1, … in its properties, and more property entries if wanted. */
function layered(content: string, layers: readonly LayerSpec[], more: { properties?: (refs: string[]) => string; config?: (refs: string[]) => string; resources?: string; spaces?: string; builder?: PdfBuilder } = {}): Uint8Array {
  const builder = more.builder ?? new PdfBuilder();
  const refs = layers.map(({ entries, name }, i) => `${builder.put(`<< /Type /OCG /Name (${name ?? `Layer ${i}`}) ${entries} >>`)} 0 R`);
  const properties = `${refs.map((ref, i) => `/L${i} ${ref}`).join(' ')} ${more.properties?.(refs) ?? ''}`;
  return onePage({
    content,
    builder,
    resources: `/Properties << ${properties} >> /ColorSpace << /C ${separation('CutContour')} ${more.spaces ?? ''} >> ${more.resources ?? ''}`,
    catalogEntries: `/OCProperties << /OCGs [${refs.join(' ')}] /D << ${more.config?.(refs) ?? ''} >> >>`,
  });
}

const step = (type: string, group = 'Structural'): LayerSpec => ({ entries: `/GTS_Metadata << /GTS_ProcStepsGroup /${group} /GTS_ProcStepsType /${type} >>` });
const on = (layer: string, content: string): string => `/OC /${layer} BDC ${content} EMC`;

describe('processing steps', () => {
  const tools: [string, Tool][] = [['Cutting', 'cut'], ['PartialCutting', 'kiss-cut'], ['Perforating', 'perforation'], ['Creasing', 'crease']];
  for (const [type, tool] of tools) {
    it(`${type} is ${tool}, whatever the colour`, async () => {
      const reading = await read(layered(on('L0', `0 0 1 RG ${SQUARE} S`), [step(type)]));
      assert.deepEqual(reading.paths.map((path) => path.tool), [tool]);
      assert.equal(reading.cutSource, 'processing-steps');
      assert.deepEqual(reading.warnings, []);
      assert.deepEqual(reading.seen.map(({ name, taken }) => [name, taken]), [['Layer 0', true], ['CutContour', false]]);
    });
  }

  it('are read from keys directly on the group too', async () => {
    const reading = await read(layered(on('L0', `${SQUARE} S`), [{ entries: '/GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting' }]));
    assert.equal(reading.paths.length, 1);
  });

  for (const type of ['ReverseCutting', 'ReversePartialCutting', 'CuttingCreasing', 'Drilling', 'Punching', 'Folding']) {
    it(`${type} is recognised with a warning and not cut`, async () => {
      const reading = await read(layered(on('L0', `${SQUARE} S`), [step(type)]));
      assert.equal(reading.paths.length, 0);
      assert.equal(reading.cutSource, null);
      assert.deepEqual(codesOf(reading), ['STEP_NOT_CUT']);
      assert.match(reading.seen[0]?.reason ?? '', new RegExp(type));
    });
  }

  it('of other kinds are no tool path, and bring no warning', async () => {
    for (const other of [step('Gluing'), step('x', 'Varnish'), { entries: '/GTS_Metadata << /GTS_ProcStepsGroup /Dimensions >>' }]) {
      const reading = await read(layered(on('L0', `${SQUARE} S`), [other]));
      assert.equal(reading.paths.length, 0);
      assert.deepEqual(reading.warnings, []);
      assert.equal(reading.seen[0]?.taken, false);
    }
  });

  it('that are unknown are ignored with a warning', async () => {
    const reading = await read(layered(on('L0', `${SQUARE} S`), [step('Origami')]));
    assert.equal(reading.paths.length, 0);
    assert.deepEqual(codesOf(reading), ['STEP_UNKNOWN']);
  });

  it('do not wait for a visibility expression that holds itself over and over', async () => {
    const builder = new PdfBuilder();
    const expression = builder.reserve();
    builder.put(`[/Or ${expression} 0 R ${expression} 0 R ${expression} 0 R]`, expression);
    const page = onePage({
      builder, content: `/OC /M BDC /C CS 1 SCN ${SQUARE} S EMC`,
      resources: `/ColorSpace << /C ${separation('CutContour')} >> /Properties << /M << /Type /OCMD /VE ${expression} 0 R >> >>`,
    });
    assert.equal((await read(page)).paths.length, 1);
  });

  it('reach through membership dictionaries, by OCGs and by VE, but not under /Not', async () => {
    const spec = [step('Cutting'), step('Creasing')];
    const by = async (membership: (refs: string[]) => string) => read(layered(on('M', `${SQUARE} S`), spec, { properties: (refs) => `/M << /Type /OCMD ${membership(refs)} >>` }));
    assert.deepEqual((await by((refs) => `/OCGs [${refs[1] ?? ''}]`)).paths.map(({ tool }) => tool), ['crease']);
    assert.deepEqual((await by((refs) => `/OCGs ${refs[0] ?? ''}`)).paths.map(({ tool }) => tool), ['cut']);
    assert.deepEqual((await by((refs) => `/VE [/And [/Or ${refs[1] ?? ''}]]`)).paths.map(({ tool }) => tool), ['crease']);
    const negated = await by((refs) => `/VE [/Not ${refs[0] ?? ''}]`);
    assert.equal(negated.paths.length, 0);
    assert.deepEqual(codesOf(negated), ['MEMBERSHIP_NOT']);
  });

  it('hold for what is nested inside, and end with their marked content', async () => {
    const content = `${on('L0', `/Span << /Lang (de) >> BDC ${SQUARE} S EMC ${on('L1', '40 40 20 20 re S')} 50 50 10 10 re S`)} 60 60 10 10 re S`;
    const reading = await read(layered(content, [step('Cutting'), { entries: '', name: 'plain' }]));
    assert.equal(reading.paths.length, 3);
    assert.equal(reading.painted.length, 1);
  });

  it('of a layer inside another replace it', async () => {
    const reading = await read(layered(on('L0', `${on('L1', `${SQUARE} S`)} ${on('L2', '5 5 10 10 re S')}`), [step('Cutting'), step('Creasing'), step('x', 'Dimensions')]));
    assert.deepEqual(reading.paths.map(({ tool }) => tool), ['crease']);
  });

  it('on a form reach its content', async () => {
    const builder = new PdfBuilder();
    const group = builder.put('<< /Type /OCG /Name (Cut) /GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting >> >>');
    const form = builder.stream(`${SQUARE} S`, `/Type /XObject /Subtype /Form /BBox [0 0 300 300] /OC ${group} 0 R`);
    const bytes = onePage({
      content: '/F Do 5 5 10 10 re S', builder, resources: `/XObject << /F ${form} 0 R >>`,
      catalogEntries: `/OCProperties << /OCGs [${group} 0 R] /D << >> >>`,
    });
    const reading = await read(bytes);
    assert.equal(reading.paths.length, 1);
    assert.equal(reading.painted.length, 1);
  });

  it('win over a spot colour on the same path, and a spot elsewhere makes the source mixed', async () => {
    const both = await read(layered(on('L0', `/C CS 1 SCN ${SQUARE} S`), [step('Creasing')]));
    assert.deepEqual([both.paths[0]?.tool, both.paths.length, both.cutSource], ['crease', 1, 'processing-steps']);
    assert.match(both.seen.find(({ kind }) => kind === 'ink')?.reason ?? '', /processing step/);
    const mixed = await read(layered(`${on('L0', `${SQUARE} S`)} /C CS 1 SCN 5 5 10 10 re S`, [step('Creasing')]));
    assert.deepEqual([mixed.cutSource, mixed.paths.length], ['mixed', 2]);
  });

  it('on a hidden layer are cut with a warning, while hidden artwork is not painted', async () => {
    const reading = await read(layered(`${on('L0', `${SQUARE} S`)} ${on('L1', '5 5 10 10 re f')} 50 50 5 5 re f`, [step('Cutting'), { entries: '' }], { config: (refs) => `/OFF [${refs.join(' ')}]` }));
    assert.equal(reading.paths.length, 1);
    assert.deepEqual(codesOf(reading), ['CUT_LAYER_HIDDEN']);
    assert.equal(reading.painted.length, 1);
    const base = await read(layered(on('L0', '5 5 10 10 re f'), [{ entries: '' }], { config: () => '/BaseState /OFF' }));
    assert.equal(base.painted.length, 0);
  });

  it('do not follow from the name of a layer', async () => {
    const reading = await read(layered(on('L0', `${SQUARE} S`), [{ entries: '', name: 'CutContour' }]));
    assert.equal(reading.paths.length, 0);
    assert.match(reading.seen[0]?.reason ?? '', /no processing step/);
  });
});

describe('spot colours', () => {
  const spot = (name: string, setting: readonly string[]) => read(onePage({ content: `/S CS 1 SCN ${SQUARE} S`, resources: `/ColorSpace << /S ${separation(name)} >>` }), setting);

  it('CutContour cuts with the legacy warning, without regard to case', async () => {
    for (const name of ['CutContour', 'CUTCONTOUR', 'cut#43ontour']) {
      const reading = await spot(name, ['CutContour']);
      assert.equal(reading.paths.length, 1, name);
      assert.equal(reading.cutSource, 'spot-color');
      assert.deepEqual(codesOf(reading), ['SPOT_COLOR_LEGACY']);
    }
  });

  it('of near names are not taken, and the report says what to do', async () => {
    for (const name of ['Cut-Contour', 'PerfCutContour', 'KissCut', 'CutContour2']) {
      const reading = await spot(name, ['CutContour']);
      assert.equal(reading.paths.length, 0, name);
      const [seen] = reading.seen;
      assert.ok(seen?.kind === 'ink' && !seen.taken && seen.name === name);
      assert.match(seen.reason, /CUT_SPOT_COLORS/);
    }
    assert.match((await spot('KissCut', ['CutContour'])).seen[0]?.reason ?? '', /kiss-cut/);
  });

  const aliases: [string, string, Tool][] = [
    ['thru-cut', 'ThruCut', 'cut'], ['Die Line', 'DieLine', 'cut'], ['STANZE', 'Stanze', 'cut'], ['Kiss_Cut', 'KissCut', 'kiss-cut'],
    ['Perf Cut Contour', 'PerfCutContour', 'perforation'], ['score', 'Score', 'crease'], ['Fold', 'Fold', 'crease'],
  ];
  for (const [name, setting, tool] of aliases) {
    it(`${setting} in the setting takes the ink "${name}" as ${tool}, with both warnings`, async () => {
      const reading = await spot(name.replaceAll(' ', '#20'), ['CutContour', setting]);
      assert.deepEqual(reading.paths.map((path) => path.tool), [tool]);
      assert.deepEqual(codesOf(reading), ['SPOT_COLOR_LEGACY', 'SPOT_COLOR_NON_CANONICAL']);
    });
  }

  it('match wildcards', async () => {
    assert.equal((await spot('Die-Front', ['Die*'])).paths.length, 1);
    assert.equal((await spot('My#20Cut#2012', ['*cut*'])).paths.length, 1);
    assert.equal((await spot('Dye', ['Die*'])).paths.length, 0);
    assert.equal((await spot(`${'a'.repeat(100)}b`, [`${'a*'.repeat(30)}c`])).paths.length, 0);
  });

  it('at tint 0, and the ink None, paint nothing', async () => {
    const reading = await read(cutPage(`/C CS 0 SCN ${SQUARE} S /N CS 1 SCN ${SQUARE} S`, { spaces: `/N ${separation('None')}` }));
    assert.deepEqual([reading.paths.length, reading.painted.length], [0, 0]);
    assert.match(reading.seen[0]?.reason ?? '', /tint of 0/);
  });

  it('at a tint below 100 % cut with a warning', async () => {
    assert.deepEqual(codesOf(await read(cutPage(`/C CS 0.5 SCN ${SQUARE} S`))), ['CUT_TINT_BELOW_FULL', 'SPOT_COLOR_LEGACY']);
  });

  it('All is artwork', async () => {
    const reading = await read(cutPage(`/A CS 1 SCN ${SQUARE} S`, { spaces: `/A ${separation('All')}` }), ['*']);
    assert.deepEqual([reading.paths.length, reading.painted.length], [0, 1]);
  });

  it('are found in DeviceN, alone or with a warning among other inks', async () => {
    const space = '/D [/DeviceN [/CutContour /Cyan] /DeviceCMYK << /FunctionType 4 >>]';
    const alone = await read(cutPage(`/D CS 1 0 SCN ${SQUARE} S`, { spaces: space }));
    assert.deepEqual([alone.paths.length, codesOf(alone)], [1, ['SPOT_COLOR_LEGACY']]);
    const mixed = await read(cutPage(`/D CS 1 0.3 SCN ${SQUARE} S`, { spaces: space }));
    assert.deepEqual([mixed.paths.length, codesOf(mixed)], [1, ['CUT_MIXED_INKS', 'SPOT_COLOR_LEGACY']]);
    const other = await read(cutPage(`/D CS 0 1 SCN ${SQUARE} S`, { spaces: space }));
    assert.deepEqual([other.paths.length, other.painted.length], [0, 1]);
  });

  it('warn where two of them are mixed, of which only one can cut', async () => {
    const space = '/D [/DeviceN [/CutContour /Crease] /DeviceCMYK << /FunctionType 4 >>]';
    const both = await read(cutPage(`/D CS 1 1 SCN ${SQUARE} S`, { spaces: space }), ['CutContour', 'Crease']);
    assert.equal(both.paths.length, 1);
    assert.ok(codesOf(both).includes('CUT_MIXED_INKS'));
  });

  it('do not cut on a layer whose processing step does not: a step wins over a spot colour', async () => {
    for (const layer of [step('Folding'), step('Gluing'), { entries: '/GTS_Metadata << /GTS_ProcStepsGroup /White >>' }]) {
      const reading = await read(layered(`${on('L0', `/C CS 1 SCN ${SQUARE} S`)} /C CS 1 SCN 5 5 9 9 re S`, [layer]));
      assert.deepEqual([reading.paths.length, reading.painted.length], [1, 1], layer.entries);
      assert.ok(reading.warnings.some(({ code, detail }) => code === 'STEP_NOT_CUT' && detail.includes('CutContour')), layer.entries);
    }
    const alone = await read(layered(on('L0', `/C CS 1 SCN ${SQUARE} S`), [step('Folding')]));
    assert.match(alone.seen.find(({ name }) => name === 'CutContour')?.reason ?? '', /layers whose processing step is not cut/);
    const unknown = await read(layered(on('L0', `/C CS 1 SCN ${SQUARE} S`), [step('Nonsense')]));
    assert.equal(unknown.paths.length, 1);
  });

  it('give way to the registration colour All on a layer that is cut, where it is artwork too', async () => {
    const builder = new PdfBuilder();
    const all = builder.put(separation('All'));
    const reading = await read(layered(on('L0', `/A CS 1 SCN 5 5 9 9 re S 0 G ${SQUARE} S`), [step('Cutting')], { builder, spaces: `/A ${all} 0 R` }));
    assert.deepEqual([reading.paths.length, reading.painted.length], [1, 1]);
  });

  it('are found through Indexed, by the tint in its table', async () => {
    const space = `/I [/Indexed ${separation('CutContour')} 1 <00FF>]`;
    assert.equal((await read(cutPage(`/I CS 1 SC ${SQUARE} S`, { spaces: space }))).paths.length, 1);
    assert.equal((await read(cutPage(`/I CS 0 SC ${SQUARE} S`, { spaces: space }))).paths.length, 0);
  });

  it('are full right after their space is chosen', async () => {
    assert.equal((await read(cutPage(`/C CS ${SQUARE} S`))).paths.length, 1);
  });

  it('inside a form are found by the form\'s own resources and by inherited ones', async () => {
    const builder = new PdfBuilder();
    const own = builder.stream(`/X CS 1 SCN ${SQUARE} S`, `/Type /XObject /Subtype /Form /BBox [0 0 300 300] /Resources << /ColorSpace << /X ${separation('CutContour')} >> >>`);
    const none = builder.stream(`/C CS 1 SCN ${SQUARE} S`, '/Type /XObject /Subtype /Form /BBox [0 0 300 300]');
    const inheriting = builder.stream(`${SQUARE} S`, '/Type /XObject /Subtype /Form /BBox [0 0 300 300]');
    const reading = await read(cutPage('/O Do /N Do /C CS 1 SCN /I Do', { builder, resources: `/XObject << /O ${own} 0 R /N ${none} 0 R /I ${inheriting} 0 R >>` }));
    assert.equal(reading.paths.length, 3);
  });

  it('that are only defined are listed as unused', async () => {
    const reading = await read(cutPage('0 0 5 5 re f'));
    assert.match(reading.seen[0]?.reason ?? '', /no path on the page/);
  });
});

describe('painting', () => {
  for (const operator of ['S', 's', 'B', 'B*', 'b', 'b*']) {
    it(`${operator} gives one path, closed`, async () => {
      const reading = await read(cutPage(`/C CS 1 SCN /C cs 1 scn ${SQUARE} ${operator}`));
      assert.deepEqual([reading.paths.length, reading.paths[0]?.closed, codesOf(reading)], [1, true, ['SPOT_COLOR_LEGACY']]);
    });
  }
  for (const operator of ['f', 'F', 'f*']) {
    it(`${operator} gives one closed path, with a warning`, async () => {
      const reading = await read(cutPage(`/C cs 1 scn 10 10 m 50 10 l 50 50 l ${operator}`));
      assert.deepEqual([reading.paths.length, reading.paths[0]?.closed, codesOf(reading)], [1, true, ['CUT_NOT_STROKED', 'SPOT_COLOR_LEGACY']]);
    });
  }

  it('a fill under a cutting stroke is artwork beside the path', async () => {
    const reading = await read(cutPage(`/C CS 1 SCN 1 0 0 rg ${SQUARE} B`));
    assert.deepEqual([reading.paths.length, reading.painted.length], [1, 1]);
  });

  it('a path that ends where it began is closed; one that does not is open', async () => {
    const reading = await read(cutPage('/C CS 1 SCN 10 10 m 50 10 l 50 50 l 10 10 l S 10 10 m 50 10 l 50 50 l S'));
    assert.deepEqual(reading.paths.map(({ closed, pointsMm }) => [closed, pointsMm.length / 2]), [[true, 3], [false, 3]]);
    assert.equal(reading.segmentCount, 5);
  });

  it('subpaths without length are dropped', async () => {
    const reading = await read(cutPage('/C CS 1 SCN 10 10 m 10 10 l S 20 20 m S 20 20 m h S 30 30 m 30 30 l 40 30 l S'));
    assert.deepEqual(reading.paths.map(({ pointsMm }) => pointsMm.length / 2), [2]);
  });

  it('a line after a closed subpath starts where that began', async () => {
    const reading = await read(cutPage('/C CS 1 SCN 10 10 m 50 10 l 50 50 l h 10 90 l S'));
    assert.deepEqual(reading.paths.map(({ closed, pointsMm }) => [closed, pointsMm.length / 2]), [[true, 3], [false, 2]]);
  });

  it('a cut path that leaves its clip is kept whole, with a warning', async () => {
    const reading = await read(cutPage(`40 40 20 20 re W n /C CS 1 SCN ${SQUARE} S`));
    assert.deepEqual([reading.paths.length, codesOf(reading)], [1, ['CUT_LEAVES_CLIP', 'SPOT_COLOR_LEGACY']]);
    assert.ok(Math.abs((reading.paths[0]?.pointsMm[2] ?? 0) - 130 * 25.4 / 72) < 1e-6);
  });

  it('annotations with an appearance bring a warning', async () => {
    const reading = await read(cutPage(`/C CS 1 SCN ${SQUARE} S`, { pageEntries: '/Annots [<< /Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP << >> >> << /Type /Annot /Subtype /Link /Rect [0 0 1 1] >>]' }));
    assert.deepEqual(codesOf(reading), ['ANNOTATIONS_IGNORED', 'SPOT_COLOR_LEGACY']);
  });
});

describe('cut content that is no path', () => {
  const FONT = '/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>';
  const TEXT = '/C cs 1 scn BT /F1 12 Tf 20 20 Td (cut me) Tj ET';

  it('text as the only cut content is refused, naming it and where it is', async () => {
    const refusal = await refusalOf(cutPage(TEXT, { resources: FONT }));
    assert.equal(refusal.code, 'UNSUPPORTED_CUT_CONTENT');
    assert.match(refusal.detail, /text in \/F1 at 6\.2, 5\.4 mm.*CutContour/);
  });

  it('text beside a cut path is a warning', async () => {
    const reading = await read(cutPage(`${TEXT} /C CS 1 SCN ${SQUARE} S`, { resources: FONT }));
    assert.deepEqual(codesOf(reading), ['CUT_AS_TEXT', 'SPOT_COLOR_LEGACY']);
    assert.equal(reading.painted.length, 0);
  });

  it('images, masks, shadings and patterns in a cutting ink are refused alike', async () => {
    const image = (entries: string) => (builder: PdfBuilder) => `/XObject << /I ${builder.stream('x', `/Type /XObject /Subtype /Image /Width 1 /Height 1 ${entries}`)} 0 R >>`;
    const shading = () => `/Shading << /I << /ShadingType 2 /ColorSpace ${separation('CutContour')} /Coords [0 0 1 1] >> >>`;
    const pattern = (content: string, entries: string) => (builder: PdfBuilder) => `/Pattern << /P ${builder.stream(content, `/Type /Pattern /PatternType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 ${entries}`)} 0 R >>`;
    const cases: [string, string, (builder: PdfBuilder) => string, RegExp][] = [
      ['image', '9 0 0 9 0 0 cm /I Do', image(`/BitsPerComponent 8 /ColorSpace ${separation('CutContour')}`), /image \/I/],
      ['mask', '/C cs 1 scn 9 0 0 9 0 0 cm /I Do', image('/BitsPerComponent 1 /ImageMask true'), /image \/I/],
      ['shading', '/I sh', shading, /shading \/I/],
      ['coloured pattern', '/Pattern cs /P scn 0 0 50 50 re f', pattern('/C CS 1 SCN 0 0 5 5 re S', `/PaintType 1 /Resources << /ColorSpace << /C ${separation('CutContour')} >> >>`), /pattern contains paths/],
      ['uncoloured pattern', '/U cs 1 /P scn 0 0 50 50 re f', pattern('0 0 5 5 re S', '/PaintType 2 /Resources << >>'), /pattern is painted/],
    ];
    for (const [name, content, resources, expected] of cases) {
      const builder = new PdfBuilder();
      const refusal = await refusalOf(cutPage(content, { builder, resources: resources(builder), spaces: `/U [/Pattern ${separation('CutContour')}]` }));
      assert.equal(refusal.code, 'UNSUPPORTED_CUT_CONTENT', name);
      assert.match(refusal.detail, expected, name);
    }
  });

  it('glyphs of a Type 3 font that draw in a cutting ink are refused', async () => {
    const builder = new PdfBuilder();
    const glyph = builder.stream('500 0 d0 /C CS 1 SCN 0 0 400 400 re S');
    const font = builder.put(`<< /Type /Font /Subtype /Type3 /FontBBox [0 0 500 500] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /a ${glyph} 0 R >> /Encoding << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [500] /Resources << /ColorSpace << /C ${separation('CutContour')} >> >> >>`);
    const refusal = await refusalOf(onePage({ content: 'BT /T 10 Tf (a) Tj ET', builder, resources: `/Font << /T ${font} 0 R >>` }));
    assert.equal(refusal.code, 'UNSUPPORTED_CUT_CONTENT');
    assert.match(refusal.detail, /Type 3/);
  });

  it('text on a cut layer is refused, naming the layer', async () => {
    const refusal = await refusalOf(layered(on('L0', 'BT /F1 12 Tf (x) Tj ET'), [step('Cutting')], { resources: FONT }));
    assert.equal(refusal.code, 'UNSUPPORTED_CUT_CONTENT');
    assert.match(refusal.detail, /Layer 0/);
  });
});
