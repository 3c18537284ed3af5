/** TCP: a fresh connection for every command, as real cutters want it (gpgl-and-data-link.md section 4). */
import { exchangeOverTcp, type TcpSurroundings } from './tcp-exchange.ts';
import { createSingleLookup } from './single-lookup.ts';
import { streamOverTcp } from './tcp-stream.ts';
import type { Transport } from './transport.ts';

export function createTcpTransport(wanted: Omit<TcpSurroundings, 'lookup'>): Transport {
  const around = { ...wanted, lookup: createSingleLookup() };
  return {
    exchange: (request) => exchangeOverTcp(around, request),
    stream: (request) => streamOverTcp(around, request),
    insert: () => null,
    close: () => Promise.resolve(),
  };
}
