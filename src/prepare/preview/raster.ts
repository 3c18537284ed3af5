/**
 * Lines as pixels, for drawings with so many that a canvas, which smooths each edge, would take minutes.
 * One line is two pixels wide; what leaves the picture is cut off.
 */
export interface PixelLines {
  readonly lines: Iterable<Float64Array>;
  /** "#rrggbb". */
  readonly colour: string;
}

export interface Rastered {
  /** Red, green, blue, alpha of each pixel, rows from the top. */
  readonly data: Uint8ClampedArray;
  /** False: the rest would have taken too long. */
  readonly isComplete: boolean;
}

/** Pixels that are set at most: some seconds on a small machine. */
const mostPixels = 400_000_000;

export function rastered(drawn: readonly PixelLines[], widthPx: number, heightPx: number, pixelsPerMm: number): Rastered {
  const data = new Uint8ClampedArray(widthPx * heightPx * 4);
  // Colours as the four bytes of a pixel, whatever the machine's order of bytes.
  const pixels = new Uint32Array(data.buffer);
  let left = mostPixels;
  for (const { lines, colour } of drawn) {
    const value = new Uint32Array(Uint8Array.of(...[1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)), 255).buffer)[0] ?? 0;
    for (const line of lines) {
      for (let at = 2; at + 1 < line.length; at += 2) {
        if (left <= 0) return { data, isComplete: false };
        left -= piece(pixels, widthPx, heightPx, value,
          (line[at - 2] ?? 0) * pixelsPerMm, (line[at - 1] ?? 0) * pixelsPerMm, (line[at] ?? 0) * pixelsPerMm, (line[at + 1] ?? 0) * pixelsPerMm);
      }
    }
  }
  return { data, isComplete: true };
}

/** Answers how many pixels it took. */
function piece(pixels: Uint32Array, widthPx: number, heightPx: number, value: number, ax: number, ay: number, bx: number, by: number): number {
  const [dx, dy] = [bx - ax, by - ay];
  let from = 0;
  let to = 1;
  // The part within the picture (Liang and Barsky).
  for (let side = 0; side < 4; side += 1) {
    const delta = side < 2 ? dx : dy;
    const room = side === 0 ? -ax : side === 1 ? widthPx - 2 - ax : side === 2 ? -ay : heightPx - 2 - ay;
    const isEntry = side % 2 === 0;
    if (delta === 0) {
      if (isEntry ? room > 0 : room < 0) return 1;
      continue;
    }
    const part = room / delta;
    if (isEntry === delta > 0) from = Math.max(from, part);
    else to = Math.min(to, part);
  }
  if (from > to) return 1;
  const steps = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) * (to - from)));
  const [stepX, stepY] = [dx * (to - from) / steps, dy * (to - from) / steps];
  const second = Math.abs(stepX) > Math.abs(stepY) ? widthPx : 1;
  let x = ax + dx * from;
  let y = ay + dy * from;
  for (let step = 0; step <= steps; step += 1) {
    const index = Math.floor(y) * widthPx + Math.floor(x);
    pixels[index] = value;
    pixels[index + second] = value;
    x += stepX;
    y += stepY;
  }
  return steps + 1;
}
