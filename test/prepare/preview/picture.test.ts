import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeJob, toolPathsOf, type Tool, type ToolPath } from '../../../src/gpgl/index.ts';
import { prepareSheet } from '../../../src/prepare/compute.ts';
import { pdfTools } from '../../../src/prepare/pdf-tools.ts';
import { toolLooks } from '../../../src/prepare/preview/colours.ts';
import { groundOfPage, groundOfSheet } from '../../../src/prepare/preview/ground.ts';
import { drawPicture } from '../../../src/prepare/preview/picture.ts';
import { pictureTools } from '../../../src/prepare/preview/tools.ts';
import type { PictureInput } from '../../../src/prepare/preview/types.ts';
import { pt } from '../../pdf/builder.ts';
import { cutPage } from '../../pdf/shapes.ts';
import { input } from '../stand-in.ts';
import { decodePng, type Image } from './png.ts';
import { find, parseXml, part, type Element } from './xml.ts';

const nothing = new Uint8Array(0);

/** In the mark frame: marks of 100 × 80 mm, and a square for each tool. */
function sequence(paths: readonly ToolPath[]): Uint8Array {
  return encodeJob({ stepsPerMm: 10, markBlock: { armMm: 10, markType: 2, feedDistanceMm: 100, carriageDistanceMm: 80 }, paths: toolPathsOf(paths) });
}

function square(tool: Tool, feedMm: number, carriageMm: number): ToolPath {
  return { tool, closed: true, pointsMm: Float64Array.of(feedMm, carriageMm, feedMm + 10, carriageMm, feedMm + 10, carriageMm + 10, feedMm, carriageMm + 10) };
}

function picture(more: Partial<PictureInput>): PictureInput {
  return {
    format: 'svg', title: 'A job', ground: null, copiesMm: null, pdf: nothing, commandSequence: sequence([square('cut', 10, 10)]),
    cuts: { kind: 'sequence', commandType: 0, stepsPerMm: 10 }, offenders: [], notes: [], ...more,
  };
}

async function svg(more: Partial<PictureInput> = {}): Promise<Element> {
  const drawn = await drawPicture(picture({ ...more, format: 'svg' }), pictureTools);
  assert.equal(drawn.mediaType, 'image/svg+xml');
  return parseXml(drawn.bytes);
}

async function png(more: Partial<PictureInput> = {}): Promise<Image> {
  const drawn = await drawPicture(picture({ ...more, format: 'png' }), pictureTools);
  assert.equal(drawn.mediaType, 'image/png');
  return decodePng(drawn.bytes);
}

const textOf = (root: Element): string => find(root, ({ name }) => name === 'text').map(({ text }) => text).join(' ');

/** Whether this colour is at the place, give or take a pixel. */
function shows(image: Image, colour: string, x: number, y: number): boolean {
  const wanted = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return [-1, 0, 1].some((dx) => [-1, 0, 1].some((dy) => image.at(x + dx, y + dy).every((value, index) => Math.abs(value - (wanted[index] ?? NaN)) < 40)));
}

describe('a picture of a command sequence alone', () => {
  it('has the paths of each tool in its colour, and a legend that names them', async () => {
    const tools: readonly Tool[] = ['cut', 'kiss-cut', 'perforation', 'crease'];
    const root = await svg({ commandSequence: sequence(tools.map((tool, index) => square(tool, 10 + 20 * index, 10))) });
    for (const tool of tools) {
      const group = part(root, `cuts-${tool}`);
      assert.equal(group?.children.length, 1, tool);
      assert.equal(group.children[0]?.attributes.get('stroke'), toolLooks[tool].colour);
    }
    assert.match(textOf(root), /cut: 1 path .*kiss-cut: 1 path .*perforation: 1 path .*crease: 1 path .*100 mm/);
    assert.equal(part(root, 'artwork'), undefined);
  });

  it('draws it where the cutter cuts, seen from the front: feed upwards, carriage to the left of mark 1', async () => {
    const image = await png({ commandSequence: sequence([square('cut', 10, 20)]) });
    // 5 mm of room around marks of 80 × 100 mm: mark 1 is at x 85 mm, y 105 mm from the top; 12 pixels a millimetre.
    for (const [feed, carriage] of [[10, 25], [20, 25], [15, 20], [15, 30]] as const) {
      assert.ok(shows(image, toolLooks.cut.colour, (85 - carriage) * 12, (105 - feed) * 12), `feed ${feed}, carriage ${carriage}`);
    }
    assert.ok(!shows(image, toolLooks.cut.colour, (85 - 15) * 12, (105 - 25) * 12), 'not with the axes swapped');
  });

  it('of a pen that no tool has says which', async () => {
    assert.match(textOf(await svg({ commandSequence: Buffer.from('J7\x03M0,0\x03D100,0,100,100\x03M0,0\x03') })), /pen 7: 1 path/);
  });

  it('that is no GP-GL, is broken, or empty, is still a picture that says so', async () => {
    assert.match(textOf(await svg({ cuts: { kind: 'sequence', commandType: 1, stepsPerMm: 10 } })), /not GP-GL/);
    assert.match(textOf(await svg({ commandSequence: Buffer.from('M1,\x03??') })), /cannot be read/);
    assert.ok((await png({ commandSequence: nothing })).widthPx > 100);
  });
});

describe('the text in a picture', () => {
  it('is text, whatever a job is called', async () => {
    const title = '</title><script>alert("1")</script>&amp;\u0000\u0007\ud800 \u202eÄ 語 😀';
    const root = await svg({ title, notes: ['<svg onload="x">'] });
    assert.deepEqual([...new Set(find(root, () => true).map(({ name }) => name))].sort(), ['g', 'path', 'rect', 'svg', 'text', 'title']);
    const [shown] = find(root, ({ name }) => name === 'title');
    assert.equal(shown?.text, '</title><script>alert("1")</script>&amp; \u202eÄ 語 😀');
  });

  it('stays in the picture, however long it is', async () => {
    const root = await svg({ title: 'W'.repeat(5000), notes: ['many words '.repeat(1000)] });
    assert.ok(textOf(root).length < 3000);
  });
});

const blue = '#3399e6';
const filled = (x: number, y: number, width: number, height: number): string => `0.2 0.6 0.9 rg ${pt(x)} ${pt(y)} ${pt(width)} ${pt(height)} re f`;
const cut = (x: number, y: number, width: number, height: number): string => `/C CS 1 SCN ${pt(x)} ${pt(y)} ${pt(width)} ${pt(height)} re S`;

async function sheet(page: Uint8Array): Promise<Partial<PictureInput>> {
  const result = await prepareSheet(input({ pdf: page }), pdfTools);
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  const { layout, markedPdf, commandSequence } = result.prepared;
  return { ground: groundOfSheet(layout), pdf: markedPdf, commandSequence };
}

/** The same sheet of 210 × 297 mm, seen: fill at x 80 to 120, y 100 to 150 mm, cut around it. */
const pages: Readonly<Record<string, Uint8Array>> = {
  'a plain page': cutPage(`${filled(80, 100, 40, 50)} ${cut(80, 100, 40, 50)}`, { mediaBox: `[0 0 ${pt(210)} ${pt(297)}]` }),
  'a turned page': cutPage(`0 1 -1 0 ${pt(297)} 0 cm ${filled(80, 100, 40, 50)} ${cut(80, 100, 40, 50)}`, { mediaBox: `[0 0 ${pt(297)} ${pt(210)}]`, pageEntries: '/Rotate 90' }),
  'a page of a larger unit': cutPage(`0.5 0 0 0.5 0 0 cm ${filled(80, 100, 40, 50)} ${cut(80, 100, 40, 50)}`, { mediaBox: `[0 0 ${pt(105)} ${pt(148.5)}]`, pageEntries: '/UserUnit 2' }),
  'a page whose crop box is smaller than its paper': cutPage(`1 0 0 1 ${pt(15)} ${pt(20)} cm ${filled(80, 100, 40, 50)} ${cut(80, 100, 40, 50)}`, {
    mediaBox: `[0 0 ${pt(240)} ${pt(330)}]`, pageEntries: `/CropBox [${pt(15)} ${pt(20)} ${pt(225)} ${pt(317)}] /TrimBox [${pt(30)} ${pt(30)} ${pt(200)} ${pt(300)}]`,
  }),
};

describe('a picture of a sheet', () => {
  for (const [what, page] of Object.entries(pages)) {
    it(`shows print, cut, marks and zones in their places on ${what}`, async () => {
      const image = await png(await sheet(page));
      const perMm = 1600 / 297;
      const at = (colour: string, xMm: number, yMm: number): boolean => shows(image, colour, xMm * perMm, (297 - yMm) * perMm);
      assert.ok(at(blue, 100, 125), 'the print');
      assert.ok(!at(blue, 70, 125) && !at(blue, 100, 95), 'and not beside it');
      for (const [xMm, yMm] of [[80, 125], [120, 125], [100, 100], [100, 150]] as const) assert.ok(at(toolLooks.cut.colour, xMm, yMm), `the cut at ${xMm}, ${yMm}`);
      // Start Mark: 50 mm long, 10 mm from the right, 20 to 29 mm from the bottom; black under the tint of the zone.
      assert.ok(at('#4d422c', 192, 25), 'the Start Mark');
      assert.ok(at('#faeed1', 10, 10), 'the zone of the leading edge');
      assert.ok(at('#ffffff', 20, 150), 'paper');
    });
  }

  it('has its parts by name, and the page as a picture within', async () => {
    const root = await svg(await sheet(pages['a plain page'] ?? nothing));
    for (const id of ['artwork', 'zones', 'marks', 'barcode', 'mark-rectangle', 'cuts-cut', 'legend']) assert.ok((part(root, id)?.children.length ?? 0) > 0, id);
    assert.equal(part(root, 'zones')?.children.length, 5);
    assert.match(part(root, 'artwork')?.children[0]?.attributes.get('href') ?? '', /^data:image\/png;base64,[A-Za-z0-9+/=]+$/);
  });

  it('whose page cannot be drawn has marks and cuts, and says so', async () => {
    const root = await svg({ ...await sheet(pages['a plain page'] ?? nothing), pdf: Buffer.from('%PDF-1.4 nothing') });
    assert.match(textOf(root), /printed page could not be drawn/);
    assert.ok((part(root, 'printed')?.children.length ?? 0) > 8);
    assert.equal(part(root, 'cuts-cut')?.children.length, 1);
  });
});

describe('a picture of a refused page', () => {
  it('marks what is in the wrong place, numbered and described', async () => {
    const page = cutPage(`${filled(80, 100, 40, 50)} ${cut(80, 100, 40, 50)} ${filled(20, 5, 50, 40)}`, { mediaBox: `[0 0 ${pt(210)} ${pt(297)}]` });
    const refused = await prepareSheet(input({ pdf: page }), pdfTools);
    assert.ok(!refused.ok && refused.failure.page?.sheet);
    const more: Partial<PictureInput> = {
      ground: groundOfSheet(refused.failure.page.sheet), copiesMm: { page: [210, 297], at: [[0, 0]] }, pdf: page, commandSequence: nothing,
      cuts: { kind: 'page', cutSpotColors: ['CutContour'], cutPaths: 'marked' }, offenders: refused.failure.offenders ?? [], notes: [refused.failure.detail],
    };
    const image = await png(more);
    assert.ok(shows(image, '#ff1a00', 45 * 1600 / 297, (297 - 4.5) * 1600 / 297), 'the frame of the offender');
    const root = await svg(more);
    assert.match(textOf(root), /1: Ink in the strip of the leading edge .* 3: fill in DeviceRGB, x 20 to 70, y 5 to 45 mm .*cut: 1 path/);
    assert.ok((part(root, 'printed')?.children.length ?? 0) > 8, 'marks and barcode, where they would be');
  });

  it('shows copies where they would stand', async () => {
    const page = cutPage(`${filled(10, 10, 20, 20)} ${cut(10, 10, 20, 20)}`, { mediaBox: `[0 0 ${pt(50)} ${pt(50)}]` });
    const image = await png({
      ground: groundOfPage({ widthMm: 200, heightMm: 100 }), copiesMm: { page: [50, 50], at: [[0, 0], [120, 50]] }, pdf: page, commandSequence: nothing, cuts: { kind: 'page', cutSpotColors: ['CutContour'], cutPaths: 'marked' },
    });
    for (const [xMm, yMm] of [[20, 20], [140, 70]] as const) assert.ok(shows(image, blue, xMm * 8, (100 - yMm) * 8), `x ${xMm}, y ${yMm}`);
    assert.ok(!shows(image, blue, 70 * 8, 80 * 8));
    assert.ok(shows(image, toolLooks.cut.colour, 150 * 8, (100 - 70) * 8), 'the cut of the second copy');
  });
});

describe('a picture of very many paths', () => {
  it('stays under 5 MB, and shows them', async () => {
    let seed = 1;
    const next = (most: number): number => (seed = (seed * 48_271) % 2_147_483_647) % most;
    const commands = ['J1', 'M0,0', ...Array.from({ length: 4000 }, () => `D${Array.from({ length: 50 }, () => `${next(1000)},${next(800)}`).join(',')}`)];
    const commandSequence = Buffer.from(`${commands.join('\x03')}\x03`);
    const drawn = await drawPicture(picture({ commandSequence }), pictureTools);
    assert.ok(drawn.bytes.length < 5_000_000, `${drawn.bytes.length} bytes`);
    assert.match(textOf(parseXml(drawn.bytes)), /cut: 1 path/);
    assert.ok(shows(await png({ commandSequence }), toolLooks.cut.colour, 40 * 12, 60 * 12));
  });
});
