/** Undoes a predictor of FlateDecode or LZWDecode (ISO 32000-1, 7.4.4.4). `parameter` looks up a decode parameter. */
export function unpredict(bytes: Uint8Array, parameter: (key: string, fallback: number) => number): Uint8Array {
  const predictor = parameter('Predictor', 1);
  if (predictor < 2) return bytes;
  const colours = clamp(parameter('Colors', 1), 1, 32);
  const bits = clamp(parameter('BitsPerComponent', 8), 1, 16);
  const columns = clamp(parameter('Columns', 1), 1, 1 << 24);
  const pixelBytes = Math.max(1, (colours * bits + 7) >> 3);
  const rowBytes = (columns * colours * bits + 7) >> 3;
  return predictor === 2 ? unpredictTiff(bytes, rowBytes, pixelBytes, bits) : unpredictPng(bytes, rowBytes, pixelBytes);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, Math.trunc(value)));
}

function unpredictTiff(bytes: Uint8Array, rowBytes: number, pixelBytes: number, bits: number): Uint8Array {
  if (bits !== 8) return bytes;
  const out = Uint8Array.from(bytes);
  for (let row = 0; row < out.length; row += rowBytes) {
    const end = Math.min(out.length, row + rowBytes);
    for (let i = row + pixelBytes; i < end; i += 1) out[i] = ((out[i] ?? 0) + (out[i - pixelBytes] ?? 0)) & 255;
  }
  return out;
}

function unpredictPng(bytes: Uint8Array, rowBytes: number, pixelBytes: number): Uint8Array {
  const rows = Math.ceil(bytes.length / (rowBytes + 1));
  const out = new Uint8Array(Math.max(0, bytes.length - rows));
  let to = 0;
  for (let row = 0; row < rows; row += 1) {
    const from = row * (rowBytes + 1);
    const type = bytes[from] ?? 0;
    const count = Math.min(rowBytes, bytes.length - from - 1);
    for (let i = 0; i < count; i += 1) {
      const left = i >= pixelBytes ? (out[to + i - pixelBytes] ?? 0) : 0;
      const up = row > 0 ? (out[to + i - rowBytes] ?? 0) : 0;
      const upLeft = row > 0 && i >= pixelBytes ? (out[to + i - rowBytes - pixelBytes] ?? 0) : 0;
      out[to + i] = ((bytes[from + 1 + i] ?? 0) + pngPrediction(type, left, up, upLeft)) & 255;
    }
    to += count;
  }
  return out;
}

function pngPrediction(type: number, left: number, up: number, upLeft: number): number {
  if (type === 1) return left;
  if (type === 2) return up;
  if (type === 3) return (left + up) >> 1;
  if (type !== 4) return 0;
  const estimate = left + up - upLeft;
  const toLeft = Math.abs(estimate - left);
  const toUp = Math.abs(estimate - up);
  const toUpLeft = Math.abs(estimate - upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}
