/**
 * Addresses of cutters, as they stand in the setting CUTTERS (api-decisions.md section 8).
 * Guarantee: an address that is accepted names exactly one device, with every line parameter filled in.
 * Hole: nothing here asks whether the host or the device exists.
 */

export interface TcpAddress { transport: 'tcp'; host: string; port: number }

export interface SerialAddress {
  transport: 'serial';
  path: string;
  baudRate: number;
  /** False when the address leaves the baud rate to its default: a pseudo-terminal is then not held to it. */
  baudRateGiven: boolean;
  rtscts: boolean;
  xonxoff: boolean;
  dataBits: 5 | 6 | 7 | 8;
  parity: 'none' | 'even' | 'odd';
  stopBits: 1 | 2;
}

export type CutterAddress = TcpAddress | SerialAddress;

export type AddressFailureCode =
  | 'ADDRESS_EMPTY'
  | 'ADDRESS_SCHEME_UNKNOWN'
  | 'ADDRESS_HOST_INVALID'
  | 'ADDRESS_PORT_INVALID'
  | 'ADDRESS_PATH_INVALID'
  | 'ADDRESS_PARAMETER_UNKNOWN'
  | 'ADDRESS_PARAMETER_INVALID';

export interface AddressFailure { code: AddressFailureCode; detail: string }
export type AddressResult = { ok: true; address: CutterAddress } | { ok: false; failure: AddressFailure };

/** Port of a real cutter; gpgl-and-data-link.md section 4. */
export const defaultTcpPort = 9100;
/** Factory setting of the serial line; gpgl-and-data-link.md sections 1.5 and 4.4. */
export const defaultBaudRate = 9600;

const refuse = (code: AddressFailureCode, detail: string): AddressResult => ({ ok: false, failure: { code, detail } });

/** Parses `tcp://host[:port]`, `host[:port]` or `serial:///device?baudRate=…`. */
export function parseCutterAddress(text: string): AddressResult {
  const trimmed = text.trim();
  if (trimmed === '') return refuse('ADDRESS_EMPTY', 'The address of the cutter is empty; write for example tcp://192.168.1.50:9100.');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/s.exec(trimmed);
  if (scheme === null) return parseTcp(trimmed, trimmed);
  const name = (scheme[1] ?? '').toLowerCase();
  const rest = scheme[2] ?? '';
  if (name === 'tcp') return parseTcp(rest.replace(/\/$/, ''), trimmed);
  if (name === 'serial') return parseSerial(rest, trimmed);
  return refuse('ADDRESS_SCHEME_UNKNOWN', `The address ${trimmed} begins with ${name}://; known are tcp:// and serial://.`);
}

/** The address in its full form, for logs and as the key of a lock. */
export function formatCutterAddress(address: CutterAddress): string {
  if (address.transport === 'tcp') return `tcp://${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}`;
  const { path, baudRate, rtscts, xonxoff, dataBits, parity, stopBits } = address;
  return `serial://${encodeURI(path)}?baudRate=${baudRate}&rtscts=${rtscts}&xonxoff=${xonxoff}&dataBits=${dataBits}&parity=${parity}&stopBits=${stopBits}`;
}

const hostName = /^(?!-)[A-Za-z0-9_-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9_-]{1,63}(?<!-))*\.?$/;
const ipv6 = /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9_.-]+)?$/;

function parseTcp(rest: string, whole: string): AddressResult {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/s.exec(rest);
  const plain = /^([^:]*)(?::([^:]*))?$/s.exec(rest);
  const match = bracketed ?? plain;
  const host = match?.[1] ?? rest;
  if (host === '' || host.length > 253 || !(bracketed === null ? hostName : ipv6).test(host) || isBrokenDottedQuad(host)) {
    return refuse('ADDRESS_HOST_INVALID', `The address ${whole} has no usable host name; an IPv6 address stands in square brackets.`);
  }
  const portText = match?.[2];
  if (portText === undefined) return { ok: true, address: { transport: 'tcp', host, port: defaultTcpPort } };
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : 0;
  if (port < 1 || port > 65535) return refuse('ADDRESS_PORT_INVALID', `The port "${portText}" in ${whole} is not a number from 1 to 65535.`);
  return { ok: true, address: { transport: 'tcp', host, port } };
}

/** 192.168.1.500 would be looked up as a name, and fail far from its cause. */
function isBrokenDottedQuad(host: string): boolean {
  if (!/^[\d.]+$/.test(host)) return false;
  const parts = host.split('.');
  return parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255);
}

function parseSerial(rest: string, whole: string): AddressResult {
  const mark = rest.indexOf('?');
  const path = decodePath(mark < 0 ? rest : rest.slice(0, mark));
  if (path === null || !path.startsWith('/') || path === '/' || path.includes('\0')) {
    return refuse('ADDRESS_PATH_INVALID', `The address ${whole} names no device; write three slashes and an absolute path, as in serial:///dev/ttyUSB0.`);
  }
  return withParameters({
    transport: 'serial', path, baudRate: defaultBaudRate, baudRateGiven: false,
    rtscts: true, xonxoff: false, dataBits: 8, parity: 'none', stopBits: 1,
  }, mark < 0 ? '' : rest.slice(mark + 1), whole);
}

function decodePath(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

type Setter = (address: SerialAddress, value: string) => SerialAddress | null;

const truth = (value: string): boolean | null => (value === 'true' ? true : value === 'false' ? false : null);

const setters: ReadonlyMap<string, { set: Setter; allowed: string }> = new Map<string, { set: Setter; allowed: string }>([
  ['baudRate', {
    allowed: 'a whole number from 300 to 4000000',
    set: (address, value) => {
      const baudRate = /^\d{3,7}$/.test(value) ? Number(value) : 0;
      return baudRate >= 300 && baudRate <= 4_000_000 ? { ...address, baudRate, baudRateGiven: true } : null;
    },
  }],
  ['rtscts', { allowed: 'true or false', set: (address, value) => { const rtscts = truth(value); return rtscts === null ? null : { ...address, rtscts }; } }],
  ['xonxoff', { allowed: 'true or false', set: (address, value) => { const xonxoff = truth(value); return xonxoff === null ? null : { ...address, xonxoff }; } }],
  ['dataBits', {
    allowed: '5, 6, 7 or 8',
    set: (address, value) => { const dataBits = ([5, 6, 7, 8] as const).find((bits) => String(bits) === value); return dataBits === undefined ? null : { ...address, dataBits }; },
  }],
  ['parity', {
    allowed: 'none, even or odd',
    set: (address, value) => { const parity = (['none', 'even', 'odd'] as const).find((name) => name === value); return parity === undefined ? null : { ...address, parity }; },
  }],
  ['stopBits', {
    allowed: '1 or 2',
    set: (address, value) => { const stopBits = ([1, 2] as const).find((bits) => String(bits) === value); return stopBits === undefined ? null : { ...address, stopBits }; },
  }],
]);

function withParameters(defaults: SerialAddress, query: string, whole: string): AddressResult {
  let address = defaults;
  const seen = new Set<string>();
  for (const [key, value] of new URLSearchParams(query)) {
    const setter = setters.get(key);
    if (setter === undefined) {
      return refuse('ADDRESS_PARAMETER_UNKNOWN', `The parameter "${key}" in ${whole} is unknown; known are ${[...setters.keys()].join(', ')}.`);
    }
    const next = seen.has(key) ? null : setter.set(address, value);
    if (next === null) return refuse('ADDRESS_PARAMETER_INVALID', `The parameter ${key}=${value} in ${whole} must be given once, as ${setter.allowed}.`);
    seen.add(key);
    address = next;
  }
  return { ok: true, address };
}
