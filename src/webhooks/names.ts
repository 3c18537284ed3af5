/**
 * Host names for the sender. The system's own look-up is used, since it knows the hosts file and local names; it holds
 * a thread of Node's pool of four, which files and the store need too.
 * Guarantee: at most two look-ups at a time, and one for each name, however many receivers have a dead name server.
 */
import dns, { type LookupAddress } from 'node:dns';

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const atOnce = 2;

export function createResolver(lookup: Resolve = (host) => dns.promises.lookup(host, { all: true })): Resolve {
  const asked = new Map<string, Promise<readonly LookupAddress[]>>();
  const waiting: (() => void)[] = [];
  let running = 0;

  const ask = async (host: string): Promise<readonly LookupAddress[]> => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await lookup(host);
    } finally {
      asked.delete(host);
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };

  return (host) => {
    const known = asked.get(host);
    if (known !== undefined) return known;
    const answer = ask(host);
    asked.set(host, answer);
    return answer;
  };
}
