import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

export interface Image {
  readonly widthPx: number;
  readonly heightPx: number;
  /** [red, green, blue] of a pixel. */
  at(x: number, y: number): readonly [number, number, number];
}

/** Decodes a PNG of 8 bits a channel, RGB or RGBA, not interlaced. */
export function decodePng(png: Uint8Array): Image {
  const bytes = Buffer.from(png);
  assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const [widthPx, heightPx] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const channels = { 2: 3, 6: 4 }[bytes[25] ?? 0];
  assert.ok(channels !== undefined && bytes[24] === 8 && bytes[28] === 0, 'a plain PNG');
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const pixels = unfiltered(inflateSync(Buffer.concat(data)), widthPx * channels, heightPx, channels);
  return {
    widthPx, heightPx,
    at(x, y) {
      const start = (Math.floor(y) * widthPx + Math.floor(x)) * channels;
      return [pixels[start] ?? NaN, pixels[start + 1] ?? NaN, pixels[start + 2] ?? NaN];
    },
  };
}

function unfiltered(lines: Buffer, stride: number, rows: number, channels: number): Uint8Array {
  const pixels = new Uint8Array(stride * rows);
  for (let row = 0; row < rows; row += 1) {
    const filter = lines[row * (stride + 1)] ?? 0;
    for (let at = 0; at < stride; at += 1) {
      const left = at >= channels ? pixels[row * stride + at - channels] ?? 0 : 0;
      const up = row > 0 ? pixels[(row - 1) * stride + at] ?? 0 : 0;
      const corner = row > 0 && at >= channels ? pixels[(row - 1) * stride + at - channels] ?? 0 : 0;
      pixels[row * stride + at] = (lines[row * (stride + 1) + 1 + at] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return pixels;
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return Math.floor((left + up) / 2);
  const [byLeft, byUp, byCorner] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
