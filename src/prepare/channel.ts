/**
 * Messages between the service and its worker process, over a pipe. Bytes go beside the rest of a message: whoever sends
 * them does not copy them, and whoever receives them gets memory of their own.
 *
 * A frame: the length of the head and the number of byte arrays (32 bits each, little-endian), the length of each array
 * (32 bits), the head (V8's own serialization, with the index of an array in its place), then the arrays one after the other.
 */
import type { Duplex } from 'node:stream';
import { deserialize, serialize } from 'node:v8';

export interface Channel {
  /** The bytes in it must stay as they are until it has arrived. */
  send(message: unknown): void;
}

/** Messages arrive whole and in order. What becomes of the pipe is the caller's affair; it is destroyed with an error when something else than messages comes. */
export function openChannel(pipe: Duplex, onMessage: (message: unknown) => void): Channel {
  const reader = new FrameReader();
  pipe.on('data', (chunk: Uint8Array) => {
    try {
      reader.take(chunk);
    } catch (error) {
      pipe.destroy(error instanceof Error ? error : new Error(String(error)));
    }
    // Not within the try: what the receiver throws is its own.
    for (let arrived = reader.next(); arrived !== null; arrived = reader.next()) onMessage(arrived.message);
  });
  return {
    send(message) {
      const parts = frame(message);
      pipe.cork();
      for (const part of parts) pipe.write(part);
      pipe.uncork();
    },
  };
}

/** The pipe on the worker's side. */
export const channelFd = 3;

const prefixBytes = 8;
const perArrayBytes = 4;
const nothing = new Uint8Array(0);

function frame(message: unknown): Uint8Array[] {
  const arrays: Uint8Array[] = [];
  const head = serialize(withoutArrays(message, arrays));
  const prefix = Buffer.alloc(prefixBytes + arrays.length * perArrayBytes);
  prefix.writeUInt32LE(head.length, 0);
  prefix.writeUInt32LE(arrays.length, perArrayBytes);
  arrays.forEach(({ byteLength }, index) => prefix.writeUInt32LE(byteLength, prefixBytes + index * perArrayBytes));
  return [prefix, head, ...arrays.filter(({ byteLength }) => byteLength > 0)];
}

/** Stands for an array in the head: no message has such a member. */
const placeOfArray = '\0array';

function withoutArrays(value: unknown, arrays: Uint8Array[]): unknown {
  if (value instanceof Uint8Array) return { [placeOfArray]: arrays.push(value) - 1 };
  if (Array.isArray(value)) return value.map((each) => withoutArrays(each, arrays));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutArrays(each, arrays)]));
}

function withArrays(value: unknown, arrays: readonly Uint8Array[]): unknown {
  if (Array.isArray(value)) return value.map((each) => withArrays(each, arrays));
  if (!isRecord(value)) return value;
  const members = Object.entries(value);
  const [name, index] = members[0] ?? [];
  if (name === placeOfArray && typeof index === 'number') return arrays[index];
  return Object.fromEntries(members.map(([each, member]) => [each, withArrays(member, arrays)]));
}

/** Whether it has members to look into. Numbers in columns, dates and the like are V8's to serialize whole. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Puts frames together from whatever pieces the pipe gives. */
class FrameReader {
  /** The parts of the frame that are known so far; the last ones are still to be filled. */
  #parts: Uint8Array[] = [new Uint8Array(prefixBytes)];
  #part = 0;
  #filled = 0;
  readonly #arrived: { readonly message: unknown }[] = [];

  /** Throws where the bytes are no frames; nothing can be read after that. */
  take(chunk: Uint8Array): void {
    let at = 0;
    for (;;) {
      const part = this.#parts[this.#part] ?? nothing;
      const count = Math.min(part.length - this.#filled, chunk.length - at);
      part.set(chunk.subarray(at, at + count), this.#filled);
      at += count;
      this.#filled += count;
      if (this.#filled < part.length) return;
      this.#part += 1;
      this.#filled = 0;
      this.#go();
      if (at === chunk.length && (this.#parts[this.#part]?.length ?? 0) > 0) return;
    }
  }

  next(): { readonly message: unknown } | null {
    return this.#arrived.shift() ?? null;
  }

  /** A part is filled: it tells of the next ones, or it was the last. */
  #go(): void {
    const [prefix = nothing, sizes = nothing, head = nothing] = this.#parts;
    if (this.#part === 1) this.#parts.push(new Uint8Array(numberAt(prefix, perArrayBytes) * perArrayBytes), new Uint8Array(numberAt(prefix, 0)));
    else if (this.#part === 2) for (let at = 0; at < sizes.length; at += perArrayBytes) this.#parts.push(new Uint8Array(numberAt(sizes, at)));
    if (this.#part < this.#parts.length) return;
    this.#arrived.push({ message: withArrays(deserialize(head), this.#parts.slice(3)) });
    this.#parts = [new Uint8Array(prefixBytes)];
    this.#part = 0;
  }
}

function numberAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}
