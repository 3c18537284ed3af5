/**
 * Which files of an inbox have settled. Pure: it is told what was listed and how much time has passed for certain.
 *
 * Time is what the caller waited for between two looks, never the difference of two clock readings: the clock of a
 * Raspberry Pi may jump by months when it hears from a time server, and the times of files on a share are another
 * machine's.
 */
import type { FileIdentity, NamedFile } from '../../machines/index.ts';
import { isSameFile } from './files.ts';
import type { ListedFile, Listing } from './listing.ts';
import { sidecarsOf } from './names.ts';
import { unfinishedQuietMs } from './rules.ts';

export interface SettledFile extends NamedFile {
  readonly sidecars: readonly NamedFile[];
}

export interface SettleRules {
  readonly minAgeMs: number;
  /** Pause between two looks while something is not settled; a late sidecar gets one more. */
  readonly pollMs: number;
  readonly hasSidecars: boolean;
}

interface Sighting {
  readonly identity: FileIdentity;
  readonly stillMs: number;
}

export interface Sightings {
  /** Takes a new listing, `passedMs` after the one before. */
  observe(listing: Pick<Listing, 'files' | 'sidecars'>, passedMs: number): void;
  /** Files that stood still for the minimum age: now their ends are worth a look. */
  still(): readonly ListedFile[];
  /** Oldest first. `isComplete` says of a file that stood still whether its end mark is there. */
  settled(isComplete: (file: ListedFile) => boolean): SettledFile[];
  forget(name: string): void;
  count(): number;
}

export function createSightings({ minAgeMs, pollMs, hasSidecars }: SettleRules): Sightings {
  let files = new Map<string, Sighting>();
  let sidecars = new Map<string, Sighting>();

  const look = (before: ReadonlyMap<string, Sighting>, { name, identity }: ListedFile, passedMs: number): Sighting => {
    const known = before.get(name);
    if (known === undefined || !isSameFile(known.identity, identity)) return { identity, stillMs: 0 };
    return { ...known, stillMs: known.stillMs + passedMs };
  };

  const sidecarNames = (name: string): string[] => (hasSidecars ? sidecarsOf(name, sidecars.keys()) : []);

  const isStill = (sighting: Sighting): boolean => sighting.stillMs >= minAgeMs;

  const isSettled = (name: string, sighting: Sighting, complete: boolean): boolean => {
    if (!isStill(sighting) || (!complete && sighting.stillMs < unfinishedQuietMs)) return false;
    if (!hasSidecars) return true;
    const beside = sidecarNames(name).flatMap((each) => sidecars.get(each) ?? []);
    return beside.length > 0 ? beside.every(isStill) : sighting.stillMs >= minAgeMs + pollMs;
  };

  const named = (name: string, { identity }: Sighting): NamedFile => ({ name, identity });

  return {
    observe(listing, passedMs) {
      sidecars = new Map(listing.sidecars.map((file) => [file.name, look(sidecars, file, passedMs)]));
      files = new Map(listing.files.map((file) => [file.name, look(files, file, passedMs)]));
    },
    still: () => [...files].filter(([, sighting]) => isStill(sighting)).map(([name, sighting]) => named(name, sighting)),
    settled: (isComplete) =>
      [...files]
        .filter(([name, sighting]) => isStill(sighting) && isSettled(name, sighting, isComplete(named(name, sighting))))
        .map(([name, sighting]) => ({
          ...named(name, sighting),
          sidecars: sidecarNames(name).flatMap((each) => {
            const beside = sidecars.get(each);
            return beside === undefined ? [] : [named(each, beside)];
          }),
        }))
        .sort(olderFirst),
    forget(name) {
      files.delete(name);
    },
    count: () => files.size,
  };
}

function olderFirst(a: NamedFile, b: NamedFile): number {
  const [left, right] = [BigInt(a.identity.mtime_ns), BigInt(b.identity.mtime_ns)];
  if (left !== right) return left < right ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
