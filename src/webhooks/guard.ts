/**
 * Where a webhook may go. An address that this machine's network would reach but the public Internet would not is
 * refused, unless WEBHOOK_ALLOW_CIDRS names it: else whoever may register a receiver could make this service speak to
 * the cutters, the router or itself.
 *
 * Guarantee: every attempt asks anew, every address of the answer must pass, and the caller dials one of these very
 * addresses without a second look-up, so a name cannot change its meaning in between. Spellings (decimal, octal, hex,
 * full-width digits) are one and the same after the WHATWG URL parser; the mapped and NAT64 forms are unpacked.
 * Hole: an allowed network is allowed to every receiver.
 */
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { isWithin, parseIp, parseNetwork, type IpBytes, type Network } from './ip.ts';

export interface GuardFailure {
  readonly code: 'TARGET_REFUSED' | 'NAME_NOT_RESOLVED';
  readonly detail: string;
}

export type GuardResult = { readonly ok: true; readonly addresses: readonly LookupAddress[] } | { readonly ok: false; readonly failure: GuardFailure };

export interface GuardOptions {
  readonly allowCidrs: readonly string[];
  /** Addresses of this machine at the moment, in text. */
  readonly ownAddresses: () => readonly string[];
  /** Rejects when the name has none. */
  readonly resolve: (host: string) => Promise<readonly LookupAddress[]>;
}

export interface Guard {
  /** What is wrong with a host that is an address literal; null for a name, or when nothing is. */
  checkLiteral(url: URL): GuardFailure | null;
  /** The addresses that may be dialled for `url`, all of them checked. */
  check(url: URL): Promise<GuardResult>;
}

export function createGuard({ allowCidrs, ownAddresses, resolve }: GuardOptions): Guard {
  const allowed = allowCidrs.flatMap((cidr) => parseNetwork(cidr) ?? []);

  const judge = (host: string, address: string): GuardFailure | null => {
    const ip = parseIp(address);
    if (ip === null) return { code: 'TARGET_REFUSED', detail: `${host} leads to ${address}, which is not an address.` };
    if (allowed.some((network) => isWithin(ip, network))) return null;
    const reason = reservedFor(ip) ?? (isOneOf(ip, ownAddresses()) ? 'an address of this machine' : null);
    if (reason === null) return null;
    const leads = host === address ? `The webhook's host ${host} is` : `The webhook's host ${host} leads to ${address},`;
    return { code: 'TARGET_REFUSED', detail: `${leads} ${reason}. If that is meant, set WEBHOOK_ALLOW_CIDRS=${address.split('%')[0] ?? address}/${isIP(address) === 4 ? 32 : 128}.` };
  };

  const checkLiteral = (url: URL): GuardFailure | null => {
    const host = hostOf(url);
    return isIP(host) === 0 ? null : judge(host, host);
  };

  return {
    checkLiteral,
    async check(url) {
      const host = hostOf(url);
      const family = isIP(host);
      const refused = checkLiteral(url);
      if (refused !== null) return { ok: false, failure: refused };
      if (family !== 0) return { ok: true, addresses: [{ address: host, family }] };
      const resolved = await resolve(host).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
      if (resolved instanceof Error) return { ok: false, failure: { code: 'NAME_NOT_RESOLVED', detail: `The name ${host} has no address: ${resolved.message}.` } };
      if (resolved.length === 0) return { ok: false, failure: { code: 'NAME_NOT_RESOLVED', detail: `The name ${host} has no address.` } };
      const failure = resolved.map(({ address }) => judge(host, address)).find((problem) => problem !== null);
      return failure === undefined ? { ok: true, addresses: resolved } : { ok: false, failure };
    },
  };
}

/** The host as it is dialled: without the brackets that a URL puts around IPv6. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Sources: IANA special-purpose address registries (RFC 6890 and its updates). */
const reserved: readonly { readonly network: string; readonly reason: string }[] = [
  { network: '0.0.0.0/8', reason: 'an address of this machine' },
  { network: '10.0.0.0/8', reason: 'a private address' },
  { network: '100.64.0.0/10', reason: 'an address inside a provider\'s network' },
  { network: '127.0.0.0/8', reason: 'a loopback address' },
  { network: '169.254.0.0/16', reason: 'a link-local address' },
  { network: '172.16.0.0/12', reason: 'a private address' },
  { network: '192.0.0.0/24', reason: 'a reserved address' },
  { network: '192.0.2.0/24', reason: 'a reserved address' },
  { network: '192.88.99.0/24', reason: 'a reserved address' },
  { network: '192.168.0.0/16', reason: 'a private address' },
  { network: '198.18.0.0/15', reason: 'a reserved address' },
  { network: '198.51.100.0/24', reason: 'a reserved address' },
  { network: '203.0.113.0/24', reason: 'a reserved address' },
  { network: '224.0.0.0/4', reason: 'a multicast address' },
  { network: '240.0.0.0/4', reason: 'a reserved address' },
  { network: '::/128', reason: 'an address of this machine' },
  { network: '::1/128', reason: 'a loopback address' },
  { network: 'fc00::/7', reason: 'a private address' },
  { network: 'fe80::/10', reason: 'a link-local address' },
  { network: 'ff00::/8', reason: 'a multicast address' },
  { network: '2001::/23', reason: 'a reserved address' },
  { network: '2001:db8::/32', reason: 'a reserved address' },
  { network: '2002::/16', reason: 'a 6to4 address, which hides another' },
  { network: '3fff::/20', reason: 'a reserved address' },
];

const reservedNetworks = reserved.flatMap(({ network, reason }) => {
  const parsed = parseNetwork(network);
  return parsed === null ? [] : [{ network: parsed, reason }];
});
/** All that is given out of IPv6 for the public Internet so far. */
const globalUnicast: Network = { bytes: [0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bits: 3 };

function reservedFor(ip: IpBytes): string | null {
  const found = reservedNetworks.find(({ network }) => isWithin(ip, network));
  if (found !== undefined) return found.reason;
  return ip.length === 16 && !isWithin(ip, globalUnicast) ? 'a reserved address' : null;
}

function isOneOf(ip: IpBytes, addresses: readonly string[]): boolean {
  return addresses.some((address) => {
    const other = parseIp(address);
    return other !== null && isWithin(ip, { bytes: other, bits: other.length * 8 });
  });
}
