import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inkInRegions, writeMarked } from '../../src/pdf/index.ts';
import { PT, PdfBuilder, onePage, pt } from './builder.ts';
import { needs } from '../support/tools.ts';
import { CUTTING, CUT_CONTOUR, LETTER_F, assertPoints, codesOf, cutPage, layersPage, open, polygon, read, refusalOf } from './shapes.ts';

const STROKED_F = `/C CS 1 SCN ${polygon(LETTER_F, PT)} S`;
const BLOCK = `0 g ${pt(10)} ${pt(10)} ${pt(20)} ${pt(20)} re f`;
const REGION = { x0Mm: 5, y0Mm: 5, x1Mm: 50, y1Mm: 50 };

/** What reading and rendering say of ink in the region; both must agree. */
async function inksRegion(bytes: Uint8Array): Promise<boolean> {
  const { painted } = await read(bytes);
  const rendered = await inkInRegions(bytes, [REGION], { cutSpotColors: CUT_CONTOUR });
  assert.ok(rendered.ok);
  assert.equal(rendered.by, 'rendering', rendered.detail);
  assert.equal(painted.length > 0, rendered.inkMm[0] !== null, 'the boxes and the rendering agree');
  return painted.length > 0;
}

describe('layers count as they print', () => {
  const usage = (view: string, print: string): string => `/Usage << /View << /ViewState /${view} >> /Print << /PrintState /${print} >> >>`;
  const events = (refs: readonly string[]): string => ['View', 'Print'].map((event) => `<< /Event /${event} /Category [/${event}] /OCGs [${refs.join(' ')}] >>`).join(' ');
  const artwork = (entries: string, config: (refs: readonly string[]) => string) => inksRegion(layersPage(`/OC /L0 BDC ${BLOCK} EMC`, { groups: [entries], config }));

  it('where an event switches them by their usage', async () => {
    const automatic = (refs: readonly string[]) => `/AS [${events(refs)}]`;
    assert.equal(await artwork(usage('OFF', 'ON'), automatic), true, 'hidden on screen, printed');
    assert.equal(await artwork(usage('ON', 'OFF'), automatic), false, 'shown on screen, not printed');
    assert.equal(await artwork(usage('OFF', 'ON'), (refs) => `${automatic(refs)} /OFF [${refs.join(' ')}]`), true, 'off, and switched on to be printed');
  });

  it('and by the default configuration where no event does', async () => {
    assert.equal(await artwork(usage('ON', 'OFF'), () => ''), true, 'a usage that no event asks for means nothing');
    assert.equal(await artwork('', (refs) => `/AS [${events(refs)}]`), true, 'an event without a usage changes nothing');
    assert.equal(await artwork('', (refs) => `/OFF [${refs.join(' ')}]`), false);
    assert.equal(await artwork('', (refs) => `/BaseState /OFF /ON [${refs.join(' ')}]`), true);
  });

  it('in membership dictionaries, by policy and by expression', async () => {
    const printed = (membership: (refs: readonly string[]) => string) => inksRegion(layersPage(`/OC /M BDC ${BLOCK} EMC`, {
      groups: ['', ''], properties: (refs) => `/M << /Type /OCMD ${membership(refs)} >>`, config: (refs) => `/OFF [${refs[1] ?? ''}]`,
    }));
    for (const [policy, expected] of [['AnyOn', true], ['AllOn', false], ['AnyOff', true], ['AllOff', false]] as const) {
      assert.equal(await printed((refs) => `/P /${policy} /OCGs [${refs.join(' ')}]`), expected, policy);
    }
    assert.equal(await printed((refs) => `/VE [/And ${refs.join(' ')}]`), false);
    assert.equal(await printed((refs) => `/VE [/Or ${refs.join(' ')}]`), true);
    assert.equal(await printed((refs) => `/VE [/And ${refs[0] ?? ''} [/Not ${refs[1] ?? ''}]]`), true);
    assert.equal(await printed((refs) => `/P /AllOff /OCGs [${refs.join(' ')}] /VE [/Or ${refs.join(' ')}]`), true, 'an expression wins over a policy');
  });

  it('on forms and on images', async () => {
    const builder = new PdfBuilder();
    const group = builder.put('<< /Type /OCG /Name (Off) >>');
    const form = builder.stream(BLOCK, `/Type /XObject /Subtype /Form /BBox [0 0 283 283] /Group << /S /Transparency >> /OC ${group} 0 R`);
    const image = builder.stream(Uint8Array.of(0), `/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /OC ${group} 0 R`);
    const page = (off: string) => onePage({
      content: `/F Do q 90 0 0 90 20 20 cm /I Do Q`, builder, resources: `/XObject << /F ${form} 0 R /I ${image} 0 R >>`,
      catalogEntries: `/OCProperties << /OCGs [${group} 0 R] /D << ${off} >> >>`,
    });
    assert.equal(await inksRegion(page(`/OFF [${group} 0 R]`)), false);
    assert.equal(await inksRegion(page('')), true);
  });

  it('while a cut layer that does not print is cut all the same, and says nothing', async () => {
    const reading = await read(layersPage(`/OC /L0 BDC ${polygon(LETTER_F, PT)} S EMC`, { groups: [`${CUTTING} ${usage('ON', 'OFF')}`], config: (refs) => `/AS [${events(refs)}]` }));
    assertPoints(reading.paths[0], LETTER_F);
    assert.deepEqual(codesOf(reading), []);
  });

  it('and the report counts what is on each of them', async () => {
    const { seen } = await read(layersPage(`/OC /L0 BDC 10 10 20 20 re S 50 50 9 9 re S EMC /OC /L1 BDC 90 90 9 9 re S EMC`, { groups: ['', CUTTING] }));
    const counts = seen.filter(({ kind }) => kind === 'layer').map(({ name, taken, cutPaths, otherObjects }) => [name, taken, cutPaths, otherObjects]);
    assert.deepEqual(counts, [['Layer 0', false, 0, 2], ['Layer 1', true, 1, 0]]);
  });
});

describe('annotations', () => {
  const annotated = (entries: string): Uint8Array => {
    const builder = new PdfBuilder();
    const look = builder.stream('0 g 0 0 90 90 re f', '/Type /XObject /Subtype /Form /BBox [0 0 90 90]');
    const annotation = builder.put(`<< /Type /Annot /Subtype /Stamp /Rect [40 40 130 130] /AP << /N ${look} 0 R >> ${entries} >>`);
    return cutPage('', { builder, pageEntries: `/Annots [${annotation} 0 R]` });
  };

  it('that print are ink like any other, and those that do not are none', async () => {
    assert.equal(await inksRegion(annotated('/F 4')), true);
    for (const flags of ['', '/F 0', '/F 6', '/F 2']) assert.equal(await inksRegion(annotated(flags)), false, flags);
    const [printed] = (await read(annotated('/F 4'))).painted;
    assert.match(printed?.description ?? '', /annotation \(Stamp\)/);
  });

  it('are never cut, and bring a warning either way', async () => {
    for (const flags of ['/F 4', '']) {
      const reading = await read(annotated(flags));
      assert.deepEqual([reading.paths.length, codesOf(reading)], [0, ['ANNOTATIONS_IGNORED']]);
    }
  });
});

describe('pages that viewers read in several ways', needs('pdfinfo'), () => {
  /** The size that the marked copy has for a reader that knows nothing of this one. */
  async function markedSize(bytes: Uint8Array): Promise<string> {
    const directory = mkdtempSync(join(tmpdir(), 'kerf-reading-'));
    try {
      const file = join(directory, 'marked.pdf');
      writeFileSync(file, await writeMarked(await open(bytes), { rectsMm: [], texts: [] }));
      return execFileSync('pdfinfo', ['-box', file], { encoding: 'utf8' }).split('\n').filter((line) => /^(Page size|Page rot|CropBox)/.test(line)).join('; ').replace(/ +/g, ' ');
    } finally {
      rmSync(directory, { recursive: true });
    }
  }

  it('get the size that was taken, with a warning, when they state none', async () => {
    for (const box of ['[0 0 0 0]', '[10 10 10 500]', '[/A /B /C /D]', '(none)', '[0 0 100]']) {
      const bytes = cutPage(STROKED_F, { mediaBox: box });
      const reading = await read(bytes);
      assert.deepEqual([reading.widthMm, reading.heightMm].map((side) => side.toFixed(1)), ['215.9', '279.4'], box);
      assert.ok(codesOf(reading).includes('PAGE_SIZE_ASSUMED'));
      assert.equal(reading.facts.boxesMm.media, null);
      assert.match(await markedSize(bytes), /Page size: 612 x 792 pts/);
    }
  });

  it('are whole where the crop box misses the media box', async () => {
    const bytes = cutPage(STROKED_F, { mediaBox: '[0 0 300 400]', pageEntries: '/CropBox [5000 5000 6000 6000]' });
    const reading = await read(bytes);
    assertPoints(reading.paths[0], LETTER_F);
    assert.deepEqual(codesOf(reading), ['PAGE_BOX_IGNORED', 'SPOT_COLOR_LEGACY']);
    assert.match(await markedSize(bytes), /Page size: 300 x 400 pts.*CropBox: 0.00 0.00 300.00 400.00/);
  });

  it('are not turned by what is no multiple of 90 degrees', async () => {
    for (const rotate of ['45', '91', '89.5', '/Left']) {
      const bytes = cutPage(STROKED_F, { pageEntries: `/Rotate ${rotate}` });
      const reading = await read(bytes);
      assertPoints(reading.paths[0], LETTER_F);
      assert.deepEqual(codesOf(reading), ['PAGE_ROTATION_IGNORED', 'SPOT_COLOR_LEGACY'], rotate);
      assert.match(await markedSize(bytes), /Page rot: 0/);
    }
  });

  it('are refused where no sheet can be so long', async () => {
    for (const page of [{ mediaBox: '[0 0 1000000000 1000000000]' }, { pageEntries: '/UserUnit 1000000' }, { mediaBox: `[0 0 9 ${'9'.repeat(300)}]` }]) {
      const refusal = await refusalOf(cutPage(STROKED_F, page));
      assert.equal(refusal.code, 'PDF_UNREADABLE');
      assert.match(refusal.detail, /no sheet is longer than 500 m/);
    }
    assert.equal((await read(cutPage(STROKED_F, { mediaBox: '[0 0 14400 14400]', pageEntries: '/UserUnit 10' }))).paths.length, 1);
  });

  it('are described: boxes in millimetres, rotation, user unit, version', async () => {
    const { facts } = await read(cutPage('', { mediaBox: '[72 0 288 360]', pageEntries: '/CropBox [72 72 216 360] /TrimBox [90 90 180 180] /Rotate -90 /UserUnit 2', catalogEntries: '/Version /2.0' }));
    assert.deepEqual([facts.rotate, facts.userUnit, facts.pdfVersion, facts.isRepaired, facts.isEncrypted], [270, 2, '2.0', false, false]);
    const rounded = Object.fromEntries(Object.entries(facts.boxesMm).map(([name, box]) => [name, box === null ? null : [box.x0Mm, box.y0Mm, box.x1Mm, box.y1Mm].map((each) => Math.round(each * 10) / 10)]));
    assert.deepEqual(rounded, { media: [50.8, 0, 203.2, 254], crop: [50.8, 50.8, 152.4, 254], bleed: null, trim: [63.5, 63.5, 127, 127], art: null });
  });
});

describe('inks', () => {
  it('that are cut say whether they overprint', async () => {
    const overprints = async (states: string, paint: string) => (await read(cutPage(`/G gs /C CS 1 SCN /C cs 1 scn 40 40 50 50 re ${paint}`, { resources: `/ExtGState << /G << ${states} >> >>` }))).seen[0]?.overprints;
    assert.equal(await overprints('', 'S'), false);
    assert.equal(await overprints('/OP true', 'S'), true);
    assert.equal(await overprints('/OP true /op false', 'S'), true);
    assert.equal(await overprints('/OP true /op false', 'f'), false);
    assert.equal(await overprints('/OP true', 'f'), true, 'OP alone speaks for fills too');
    const mixed = await read(cutPage('q /G gs /C CS 1 SCN 40 40 50 50 re S Q /C CS 1 SCN 10 10 9 9 re S', { resources: '/ExtGState << /G << /OP true >> >>' }));
    assert.equal(mixed.seen[0]?.overprints, false);
  });

  it('of images are found through Indexed and among others, and what prints beside the cut still counts', async () => {
    const page = (space: string) => {
      const builder = new PdfBuilder();
      const image = builder.stream(Uint8Array.of(0), `/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace ${space}`);
      return cutPage('q 90 0 0 90 20 20 cm /I Do Q 99 99 9 9 re /C CS 1 SCN S', { builder, resources: `/XObject << /I ${image} 0 R >>` });
    };
    const separation = '[/Separation /CutContour /DeviceGray 1 0 R]';
    const indexed = await read(page(`[/Indexed ${separation} 1 <00FF>]`));
    assert.deepEqual([codesOf(indexed), indexed.painted.length], [['CUT_AS_IMAGE', 'SPOT_COLOR_LEGACY'], 0]);
    const mixed = await read(page('[/DeviceN [/Cyan /CutContour] /DeviceCMYK 1 0 R]'));
    assert.deepEqual([codesOf(mixed), mixed.painted.length], [['CUT_AS_IMAGE', 'SPOT_COLOR_LEGACY'], 1]);
  });

  it('are counted with what else they paint', async () => {
    const { seen } = await read(cutPage('/V cs 1 scn 5 5 9 9 re f 6 6 9 9 re f', { spaces: '/V [/Separation /Varnish /DeviceGray 1 0 R]' }));
    assert.deepEqual(seen.map(({ name, otherObjects }) => [name, otherObjects]), [['Varnish', 2], ['CutContour', 0]]);
  });

  it('are counted with images and shadings too', async () => {
    const varnish = '[/Separation /Varnish /DeviceGray 1 0 R]';
    const builder = new PdfBuilder();
    const image = builder.stream('\0', `/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace ${varnish}`);
    const { seen } = await read(cutPage(`/I Do /S sh BI /W 1 /H 1 /BPC 8 /CS /V ID \0 EI`, {
      builder, spaces: `/V ${varnish}`, resources: `/XObject << /I ${image} 0 R >> /Shading << /S << /ShadingType 2 /ColorSpace ${varnish} /Coords [0 0 9 9] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >> >> >>`,
    }));
    assert.equal(seen.find(({ name }) => name === 'Varnish')?.otherObjects, 3);
  });
});

describe('files encrypted with an empty user password', () => {
  for (const [name, options] of [
    ['RC4 with 40 bits', ['--allow-weak-crypto', '--encrypt', '', 'owner', '40']],
    ['RC4 with 128 bits', ['--allow-weak-crypto', '--encrypt', '', 'owner', '128', '--use-aes=n']],
    ['AES with 128 bits', ['--allow-weak-crypto', '--encrypt', '', 'owner', '128', '--use-aes=y']],
    ['AES with 256 bits', ['--encrypt', '', 'owner', '256']],
  ] as const) {
    it(`are read: ${name}`, needs('qpdf'), () => {
      const directory = mkdtempSync(join(tmpdir(), 'kerf-reading-'));
      try {
        const [plain, encrypted] = [join(directory, 'plain.pdf'), join(directory, 'encrypted.pdf')];
        writeFileSync(plain, cutPage(STROKED_F, { flate: true }));
        execFileSync('qpdf', [...options, '--', '--object-streams=generate', plain, encrypted]);
        return read(readFileSync(encrypted)).then((reading) => {
          assertPoints(reading.paths[0], LETTER_F);
          assert.deepEqual([reading.facts.isEncrypted, codesOf(reading)], [true, ['SPOT_COLOR_LEGACY']]);
        });
      } finally {
        rmSync(directory, { recursive: true });
      }
    });
  }
});
