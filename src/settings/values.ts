import { isIP } from 'node:net';
import type { SettingReader } from './reader.ts';

export interface CutterSetting {
  /** 1 to 40 letters, digits, "-" and "_"; unique without regard to case. */
  readonly name: string;
  /** As written; its syntax is the datalink room's affair. */
  readonly address: string;
}

/** `name=address,…`; the address may itself hold "=" (`serial:///dev/x?baudRate=9600`), so the first one splits. */
export function readCutters(reader: SettingReader): CutterSetting[] {
  const cutters: CutterSetting[] = [];
  const seen = new Set<string>();
  for (const item of reader.list('CUTTERS')) {
    const split = item.indexOf('=');
    const name = split < 0 ? item : item.slice(0, split).trim();
    const address = split < 0 ? '' : item.slice(split + 1).trim();
    if (!/^[A-Za-z0-9_-]{1,40}$/.test(name)) {
      reader.refuse('CUTTERS', 'BAD_FORMAT', `"${item}": a cutter is written name=address, its name being 1 to 40 letters, digits, "-" or "_"`, null);
    } else if (address === '') {
      reader.refuse('CUTTERS', 'BAD_FORMAT', `cutter "${name}" has no address; write for example ${name}=tcp://192.168.1.50:9100`, null);
    } else if (seen.has(name.toLowerCase())) {
      reader.refuse('CUTTERS', 'DUPLICATE', `the name "${name}" is given to two cutters`, null);
    } else {
      seen.add(name.toLowerCase());
      cutters.push({ name, address });
    }
  }
  return cutters;
}

/** The key must be sendable in a header (RFC 9110 section 5.5): visible ASCII, blanks only inside. */
export function readApiKey(reader: SettingReader): string | null {
  const key = reader.raw('API_KEY');
  if (key === null) return null;
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
    return reader.refuse('API_KEY', 'BAD_FORMAT', 'a key travels in an HTTP header: use visible ASCII characters, without blanks at its ends', null);
  }
  if (key.length > 8192) return reader.refuse('API_KEY', 'OUT_OF_RANGE', `a key of ${key.length} characters does not fit into a request; use at most 8192`, null);
  return key;
}

export function readHost(reader: SettingReader, defaultHost: string): string {
  const text = reader.text('API_HOST');
  if (text === null) return defaultHost;
  const host = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  if (isIP(host) !== 0) return host;
  // The engine would take ::1 alone where both are known, and clients that only try 127.0.0.1 would find nobody.
  if (host.toLowerCase() === 'localhost') return '127.0.0.1';
  // The last label decides whether this is meant as an IPv4 address: no top-level domain is a number.
  if (/^(?=.{1,253}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(host) && !/(^|\.)\d+$/.test(host)) return host;
  return reader.refuse('API_HOST', 'BAD_FORMAT', `"${text}" is neither an IP address nor a host name (the port belongs in API_PORT)`, defaultHost);
}

/** An http or https address without credentials, query or fragment; a "/" at its end is dropped. */
export function readBaseUrl(reader: SettingReader): string | null {
  const url = readHttpUrl(reader, 'PUBLIC_BASE_URL');
  if (url === null) return null;
  if (url.search !== '' || url.hash !== '') {
    return reader.refuse('PUBLIC_BASE_URL', 'BAD_FORMAT', 'the base address takes neither "?" nor "#"', null);
  }
  return url.href.replace(/\/+$/, '');
}

export function readWebhookUrl(reader: SettingReader): string | null {
  return readHttpUrl(reader, 'WEBHOOK_URL')?.href ?? null;
}

function readHttpUrl(reader: SettingReader, variable: string): URL | null {
  const text = reader.text(variable);
  if (text === null) return null;
  const example = 'write for example https://example.com/path';
  if (!URL.canParse(text)) return reader.refuse(variable, 'BAD_FORMAT', `"${text}" is not an address; ${example}`, null);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return reader.refuse(variable, 'BAD_FORMAT', `"${text}" is not an http or https address; ${example}`, null);
  if (url.username !== '' || url.password !== '') return reader.refuse(variable, 'BAD_FORMAT', 'the address must not hold a user name or password', null);
  return url;
}

/** Standard Webhooks: `whsec_` and the base64 of 24 to 64 bytes. */
export function readWebhookSecret(reader: SettingReader): string | null {
  const text = reader.text('WEBHOOK_SECRET');
  if (text === null) return null;
  const base64 = text.startsWith('whsec_') ? text.slice('whsec_'.length) : '';
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64').length : 0;
  if (bytes < 24 || bytes > 64) {
    return reader.refuse('WEBHOOK_SECRET', 'BAD_FORMAT', 'the secret is "whsec_" followed by the base64 of 24 to 64 random bytes (Standard Webhooks); make one with: echo "whsec_$(openssl rand -base64 32)"', null);
  }
  return text;
}

export function readCidrs(reader: SettingReader): string[] {
  return reader.list('WEBHOOK_ALLOW_CIDRS').filter((item) => {
    if (isCidr(item)) return true;
    return reader.refuse('WEBHOOK_ALLOW_CIDRS', 'BAD_FORMAT', `"${item}" is not a network; write for example 192.168.1.0/24 or fd00::/8`, false);
  });
}

function isCidr(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/**
 * Minted barcodes are the prefix and a base 36 counter, 9 characters together (api-decisions.md section 8), and never
 * begin with G (interfaces.md section 2.9). Five characters leave 36⁴ = 1,679,616 codes, the least that makes sense.
 */
export function readBarcodePrefix(reader: SettingReader): string {
  const text = reader.text('BARCODE_PREFIX');
  if (text === null) return 'F';
  if (/^(?!G)[0-9A-Z]{1,5}$/.test(text)) return text;
  return reader.refuse('BARCODE_PREFIX', 'BAD_FORMAT', `"${text}" is not 1 to 5 characters of 0-9 and A-Z that do not begin with G`, 'F');
}

export function readStepsPerMm(reader: SettingReader): 10 | 20 | 40 | 100 {
  switch (reader.oneOf('GPGL_STEPS_PER_MM', ['10', '20', '40', '100'], '10')) {
    case '10': return 10;
    case '20': return 20;
    case '40': return 40;
    case '100': return 100;
  }
}
