import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPage } from '../../src/pdf/index.ts';
import { PdfBuilder, onePage, separation } from './builder.ts';
import { withList } from '../support/paths.ts';
import { codesOf, cutPage, open, type ListedReading } from './shapes.ts';

async function readAll(bytes: Uint8Array, cutSpotColors: readonly string[] = []): Promise<ListedReading> {
  const result = readPage(await open(bytes), { cutSpotColors, cutPaths: 'all-strokes' });
  assert.ok(result.ok, result.ok ? '' : result.failure.detail);
  return withList(result.reading);
}

describe('a file in which every stroke is cut', () => {
  it('is cut along its strokes whatever their colour, and not along what is only filled', async () => {
    const content = '1 0 0 RG 30 30 50 50 re S 0.5 G 0 w 100 30 m 150 80 l S 1 1 1 RG 30 100 20 20 re B 0 0 1 rg 200 200 20 20 re f';
    const reading = await readAll(onePage({ content }));
    assert.deepEqual(reading.paths.map(({ tool, closed }) => [tool, closed]), [['cut', true], ['cut', false], ['cut', true]]);
    assert.equal(reading.segmentCount, 9);
    assert.equal(reading.cutSource, null);
    assert.deepEqual(reading.warnings, []);
  });

  it('keeps the tool of an ink or a layer that names one', async () => {
    const content = '/C CS 1 SCN 30 30 100 100 re S 0 G 10 10 m 20 20 l S';
    const spaces = `/ColorSpace << /C ${separation('KissCut')} >>`;
    const reading = await readAll(onePage({ content, resources: spaces }), ['KissCut']);
    assert.deepEqual(reading.paths.map(({ tool }) => tool), ['kiss-cut', 'cut']);
  });

  it('leaves out strokes on a hidden layer, and says so', async () => {
    const builder = new PdfBuilder();
    const layer = `${builder.put('<< /Type /OCG /Name (Guides) >>')} 0 R`;
    const bytes = onePage({
      builder, content: '/OC /L BDC 10 10 m 90 90 l S EMC 10 10 m 50 10 l S',
      resources: `/Properties << /L ${layer} >>`,
      catalogEntries: `/OCProperties << /OCGs [${layer}] /D << /OFF [${layer}] >> >>`,
    });
    const reading = await readAll(bytes);
    assert.equal(reading.paths.length, 1);
    assert.deepEqual(codesOf(reading), ['STROKE_HIDDEN']);
  });

  it('warns of a stroke that leaves the page', async () => {
    assert.deepEqual(codesOf(await readAll(onePage({ content: '-100 10 m 50 10 l S' }))), ['CUT_LEAVES_CLIP']);
  });

  it('does not change what is read where only marked paths are cut', async () => {
    const marked = readPage(await open(cutPage('10 10 m 90 90 l S')), { cutSpotColors: ['CutContour'] });
    assert.ok(marked.ok);
    assert.equal(marked.reading.paths.count, 0);
  });
});
