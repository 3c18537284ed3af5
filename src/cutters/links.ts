import { createSession, parseCutterAddress, type Clock, type CutterAddress, type Note, type Session } from '../datalink/index.ts';

export interface CutterToConnect {
  readonly name: string;
  readonly address: string;
}

/** One cutter and the line to it. */
export interface CutterLink {
  readonly name: string;
  readonly address: string;
  readonly session: Session;
  /** Bytes of the running job stream that the line has taken; null while none runs. In memory only. */
  progress: { takenBytes: number; totalBytes: number } | null;
}

export type CutterLinks = ReadonlyMap<string, CutterLink>;

export interface LinkOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly sendRetryTotalMs: number;
  readonly sendRetryIntervalMs: number;
  readonly onNote: (cutter: string, note: Note) => void;
}

export type LinksResult =
  | { readonly ok: true; readonly links: CutterLinks }
  | { readonly ok: false; readonly problems: readonly { readonly cutter: string; readonly code: string; readonly detail: string }[] };

/** Makes the sessions; none connects before it is asked something. */
export function createLinks(cutters: readonly CutterToConnect[], { onNote, ...session }: LinkOptions): LinksResult {
  const links = new Map<string, CutterLink>();
  const problems: { cutter: string; code: string; detail: string }[] = [];
  for (const { name, address } of cutters) {
    const parsed = parseCutterAddress(address);
    if (!parsed.ok) problems.push({ cutter: name, code: parsed.failure.code, detail: parsed.failure.detail });
    else links.set(name, { name, address, session: openSession(name, parsed.address, { onNote, ...session }), progress: null });
  }
  return problems.length === 0 ? { ok: true, links } : { ok: false, problems };
}

function openSession(name: string, address: CutterAddress, { onNote, ...options }: LinkOptions): Session {
  return createSession(address, { ...options, onNote: (note) => onNote(name, note) });
}
