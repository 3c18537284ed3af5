/** Internet addresses as bytes, and networks of them. */
import { isIP } from 'node:net';

/** 4 bytes, or 16. An IPv4 address inside IPv6 (mapped ::ffff:0:0/96, NAT64 64:ff9b::/96) is given as the 4. */
export type IpBytes = readonly number[];

export interface Network {
  readonly bytes: IpBytes;
  readonly bits: number;
}

/** A zone ("fe80::1%eth0") only says which interface to use. Null: not an address. */
export function parseIp(text: string): IpBytes | null {
  const [address = ''] = text.split('%');
  switch (isIP(address)) {
    case 4: return address.split('.').map(Number);
    case 6: return embeddedIpv4(ipv6Bytes(address));
    default: return null;
  }
}

/** "10.0.0.0/8", "::1". Null: neither. A mapped network of fewer than 96 bits cannot be put as an IPv4 one. */
export function parseNetwork(text: string): Network | null {
  const [address = '', prefix] = text.split('/');
  const bytes = parseIp(address);
  if (bytes === null) return null;
  const writtenBits = isIP(address) === 4 ? 32 : 128;
  const given = prefix === undefined ? writtenBits : Number(prefix);
  if (!Number.isInteger(given) || given < 0 || given > writtenBits) return null;
  if (bytes.length * 8 === writtenBits) return { bytes, bits: given };
  return given < 96 ? { bytes: ipv6Bytes(address), bits: given } : { bytes, bits: given - 96 };
}

export function isWithin(address: IpBytes, { bytes, bits }: Network): boolean {
  if (address.length !== bytes.length) return false;
  return bytes.every((byte, index) => {
    const bitsHere = Math.max(0, Math.min(8, bits - index * 8));
    const mask = (0xff << (8 - bitsHere)) & 0xff;
    return (byte & mask) === ((address[index] ?? 0) & mask);
  });
}

function ipv6Bytes(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const plain = dotted === null ? address : `${dotted[1] ?? ''}${hexPair(dotted[2], dotted[3])}:${hexPair(dotted[4], dotted[5])}`;
  const [head = '', tail] = plain.split('::');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
const hexPair = (high = '0', low = '0'): string => (Number(high) * 256 + Number(low)).toString(16);

const mapped: Network = { bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0], bits: 96 };
/** RFC 6052: how an IPv6-only network reaches IPv4. */
const nat64: Network = { bytes: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bits: 96 };

function embeddedIpv4(bytes: number[]): IpBytes {
  return isWithin(bytes, mapped) || isWithin(bytes, nat64) ? bytes.slice(12) : bytes;
}
