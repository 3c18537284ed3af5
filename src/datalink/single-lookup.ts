/**
 * Host names, asked for one at a time.
 * Guarantee: a cutter whose name server does not answer holds at most one thread of Node's pool, however often it is
 * polled; a poll that comes meanwhile shares the question.
 * Hole: nothing is kept; a name that resolves is asked for again at the next connection.
 */
import dns, { type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

export function createSingleLookup(resolve: (host: string, answer: Answer) => void = resolveAll): LookupFunction {
  let waiting: Answer[] = [];
  return (host, options, callback) => {
    waiting.push((error, addresses) => {
      const [first] = addresses;
      if (error !== null || first === undefined) callback(error ?? new Error(`${host} has no address`), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
    if (waiting.length > 1) return;
    resolve(host, (error, addresses) => {
      const answered = waiting;
      waiting = [];
      for (const answer of answered) answer(error, addresses);
    });
  };
}

function resolveAll(host: string, answer: Answer): void {
  // With an error there is no list, whatever the types say.
  dns.lookup(host, { all: true }, (error, addresses) => answer(error, error === null ? addresses : []));
}
