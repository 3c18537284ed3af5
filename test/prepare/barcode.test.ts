import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { prepareSheet } from '../../src/prepare/compute.ts';
import { pdfTools } from '../../src/prepare/pdf-tools.ts';
import { needs } from '../support/tools.ts';

const sample = new Uint8Array(readFileSync(new URL('../../demo/sample.pdf', import.meta.url)));

/** What a decoder that knows nothing of Kerf reads off the printed page. */
async function readBack(linkInfo: string): Promise<string> {
  const result = await prepareSheet({ pdf: sample, linkInfo, stepsPerMm: 10, cutSpotColors: [], cutLayers: 'hide' }, pdfTools);
  assert.ok(result.ok);
  const directory = mkdtempSync(join(tmpdir(), 'kerf-barcode-'));
  try {
    const page = join(directory, 'page');
    writeFileSync(`${page}.pdf`, result.prepared.markedPdf);
    assert.equal(spawnSync('pdftoppm', ['-r', '150', '-gray', '-singlefile', `${page}.pdf`, page]).status, 0);
    return spawnSync('zbarimg', ['-q', '--raw', '-Sdisable', '-Scode39.enable', `${page}.pgm`], { encoding: 'utf8' }).stdout.trim();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('the barcode of a marked page', needs('pdftoppm', 'zbarimg'), () => {
  for (const linkInfo of ['A0200ROLL', 'F00000001', '123456789', 'ZZZZZZZZZ', '0X9Y8W7V6', 'HIJKLMNOP', 'QRSTUVWXY', 'ABCDEF000']) {
    it(`is read back as ${linkInfo}, by its edge and its check character`, async () => {
      assert.match(await readBack(linkInfo), new RegExp(`^${linkInfo}F[0-9A-Z]$`));
    });
  }
});
