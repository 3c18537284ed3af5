/** Breaks PDFs at random, by a seed: the same seed breaks a file the same way. */

/** Small, fast, and the same everywhere (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Breakage = (bytes: Buffer, random: () => number) => Buffer;

const below = (random: () => number, end: number): number => Math.floor(random() * end);

const NUMBERS = ['0', '-1', '1', '2147483648', '-2147483649', '99999999999999', '0.0000001', '1e9', '4294967295', '65536', '.', '--5'];
const OBJECTS = ['null', 'true', '[]', '<<>>', '()', '/None', '/Indexed', '1 0 R', '3 0 R', '5 0 R', '999999 0 R', '[1 0 R 1 0 R]', '<< /Type /Pages /Kids [1 0 R 2 0 R] >>'];

/** Replaces one match of the pattern, each as likely as another. */
function replaceOne(bytes: Buffer, random: () => number, pattern: RegExp, by: (match: string) => string): Buffer {
  const text = bytes.toString('latin1');
  const matches = [...text.matchAll(pattern)];
  const match = matches[below(random, matches.length)];
  if (match === undefined) return bytes;
  return Buffer.from(text.slice(0, match.index) + by(match[0]) + text.slice(match.index + match[0].length), 'latin1');
}

const pick = (random: () => number, from: readonly string[]): string => from[below(random, from.length)] ?? '';

const BREAKAGES: readonly Breakage[] = [
  (bytes, random) => {
    const flipped = Buffer.from(bytes);
    for (let i = below(random, 20); i >= 0; i -= 1) flipped[below(random, flipped.length)] = below(random, 256);
    return flipped;
  },
  (bytes, random) => bytes.subarray(0, below(random, bytes.length)),
  (bytes, random) => {
    const [from, length] = [below(random, bytes.length), below(random, 200)];
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
  },
  (bytes, random) => {
    const [from, length, to] = [below(random, bytes.length), below(random, 400), below(random, bytes.length)];
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from, from + length), bytes.subarray(to)]);
  },
  (bytes, random) => replaceOne(bytes, random, /-?\d+(?:\.\d+)?/g, () => pick(random, NUMBERS)),
  (bytes, random) => replaceOne(bytes, random, /\d+ 0 R/g, () => pick(random, OBJECTS)),
  (bytes, random) => {
    const keys = bytes.toString('latin1').match(/\/[A-Za-z]{2,}/g) ?? [];
    return replaceOne(bytes, random, /\/[A-Za-z]{2,}/g, () => pick(random, keys));
  },
  (bytes, random) => replaceOne(bytes, random, /<<|>>|\[|\]|\(|\)|endobj|endstream|stream|obj|BT|ET|q|Q|BDC|EMC/g, (match) => pick(random, ['', `${match} ${match}`, '<<', ']', 'stream'])),
];

/** One to four breakages on top of each other. */
export function broken(bytes: Uint8Array, seed: number): Uint8Array {
  const random = randomOf(seed);
  let result: Buffer = Buffer.from(bytes);
  for (let i = 1 + below(random, 4); i > 0; i -= 1) result = BREAKAGES[below(random, BREAKAGES.length)]?.(result, random) ?? result;
  return new Uint8Array(result);
}
