import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A page as a renderer shows it: rows from the top, three bytes a pixel. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

export const renderers = {
  poppler: { command: 'pdftoppm', options: (file: string, dpi: number) => ['-cropbox', '-r', String(dpi), file] },
  ghostscript: { command: 'gs', options: (file: string, dpi: number) => ['-q', '-dNOPAUSE', '-dBATCH', '-dSAFER', '-dUseCropBox', '-dTextAlphaBits=4', '-dGraphicsAlphaBits=4', '-sDEVICE=ppmraw', `-r${dpi}`, '-sOutputFile=%stdout', file] },
} as const;

export type Renderer = keyof typeof renderers;
export const rendererNames = ['poppler', 'ghostscript'] as const satisfies readonly Renderer[];

export function withFile<T>(bytes: Uint8Array, work: (file: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'kerf-pdf-'));
  try {
    const file = join(directory, 'page.pdf');
    writeFileSync(file, bytes);
    return work(file);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export function picture(bytes: Uint8Array, renderer: Renderer, dpi: number): Picture {
  return withFile(bytes, (file) => {
    const { command, options } = renderers[renderer];
    const run = spawnSync(command, options(file, dpi), { maxBuffer: 1 << 28 });
    assert.equal(run.status, 0, `${renderer}: ${String(run.stderr)}`);
    return fromPpm(run.stdout);
  });
}

function fromPpm(bytes: Uint8Array): Picture {
  const head = /^P6\s+(?:#[^\n]*\n)?\s*(\d+)\s+(\d+)\s+255\s/.exec(Buffer.from(bytes.subarray(0, 200)).toString('latin1'));
  assert.ok(head !== null, 'a PPM');
  const width = Number(head[1]);
  const height = Number(head[2]);
  const rgb = bytes.subarray(head[0].length, head[0].length + 3 * width * height);
  assert.equal(rgb.length, 3 * width * height);
  return { width, height, rgb };
}

/** The part of a picture whose lower left corner is `left`, `bottom` pixels from that of the picture. */
export function part(of: Picture, left: number, bottom: number, width: number, height: number): Picture {
  const rgb = new Uint8Array(3 * width * height);
  for (let row = 0; row < height; row += 1) {
    const from = 3 * ((of.height - bottom - height + row) * of.width + left);
    rgb.set(of.rgb.subarray(from, from + 3 * width), 3 * row * width);
  }
  return { width, height, rgb };
}

/** How many pixels differ by more than a shade that rounding explains. */
export function differing(one: Picture, other: Picture): number {
  assert.deepEqual([one.width, one.height], [other.width, other.height]);
  let count = 0;
  for (let at = 0; at < one.rgb.length; at += 3) {
    if ([0, 1, 2].some((channel) => Math.abs((one.rgb[at + channel] ?? 0) - (other.rgb[at + channel] ?? 0)) > 40)) count += 1;
  }
  return count;
}

/** How many pixels are not white. */
export function inked({ rgb }: Picture): number {
  let count = 0;
  for (let at = 0; at < rgb.length; at += 3) if (Math.min(rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0) < 200) count += 1;
  return count;
}

/** What qpdf finds wrong with the structure of a file; empty for a sound one. */
export function complaints(bytes: Uint8Array): string {
  return withFile(bytes, (file) => {
    const run = spawnSync('qpdf', ['--check', file]);
    assert.notEqual(run.status, null, 'qpdf is there');
    return run.status === 0 ? '' : `${String(run.stdout)}${String(run.stderr)}`;
  });
}
