/** All cutters of the service: their actors, their poll loops, and what is known of each. */
import { v5 as uuidV5 } from 'uuid';
import { cutterKind, type CutterContext } from '../../machines/index.ts';
import type { Clock, Note } from '../datalink/index.ts';
import type { JobLibrary } from '../jobs/index.ts';
import type { ActorView, NewId, Runtime } from '../runtime/index.ts';
import type { CutterLink, CutterLinks } from './links.ts';
import { createPoller, type Poller } from './poller.ts';

export interface CutterState {
  /** UUID version 5 of kind and name: the same at every start. */
  readonly id: string;
  readonly name: string;
  readonly isRunning: boolean;
  readonly isStandingBy: boolean;
  readonly context: CutterContext;
  readonly progress: { readonly takenBytes: number; readonly totalBytes: number } | null;
}

export interface Fleet {
  /** Makes the actors, and begins polling if `poll`. */
  start(poll: boolean): Promise<void>;
  /** Ends polling; job streams go on. */
  stop(): Promise<void>;
  /** In the order of the CUTTERS setting. */
  states(): CutterState[];
  state(name: string): CutterState | undefined;
  /** What a session noted; passed on by whoever made the links. */
  note(cutter: string, note: Note): void;
}

export interface FleetOptions {
  readonly links: CutterLinks;
  readonly runtime: Runtime;
  readonly jobs: JobLibrary;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly pollIntervalMs: number;
  readonly stepsPerMm: number;
  readonly log: { readonly info: (message: string) => void; readonly warn: (message: string) => void };
}

/** Namespace of the ids of things that people know by name: version 5 of the DNS namespace and "kerf". */
const kerfNamespace = uuidV5('kerf', uuidV5.DNS);

export function createFleet(options: FleetOptions): Fleet {
  const { links, runtime, clock, log } = options;
  const pollers = new Map<string, Poller>();
  for (const [name, link] of links) pollers.set(name, createPoller({ ...options, link, onTrouble: (message) => log.warn(message) }));

  const boot = async (name: string, poll: boolean): Promise<void> => {
    const sent = await runtime.send(cutterKind, name, { type: 'BOOT', at: clock.now(), poll }, { createWith: { name } });
    if (!sent.ok) log.warn(`${name} cannot be driven: ${sent.failure.detail}`);
    else if (poll) pollers.get(name)?.start();
  };

  const stateOf = (link: CutterLink): CutterState | undefined => {
    const view = runtime.view(cutterKind, link.name);
    return view === undefined ? undefined : toState(link, view);
  };

  return {
    async start(poll) {
      await Promise.all([...links.keys()].map((name) => boot(name, poll)));
    },
    async stop() {
      await Promise.all([...pollers.values()].map((poller) => poller.stop()));
    },
    states: () => [...links.values()].flatMap((link) => stateOf(link) ?? []),
    state(name) {
      const link = links.get(name);
      return link === undefined ? undefined : stateOf(link);
    },
    note(cutter, { kind, detail }) {
      if (kind !== 'stream-stalled') {
        log.info(`${cutter}: ${detail}`);
        return;
      }
      log.warn(`${cutter}: ${detail}`);
      const stalled = runtime.send(cutterKind, cutter, { type: 'STALLED', at: clock.now(), seconds: 60 });
      stalled.catch((error: unknown) => log.warn(`${cutter}: ${String(error)}`));
    },
  };
}

function toState(link: CutterLink, view: ActorView<CutterContext>): CutterState {
  return {
    id: uuidV5(`cutter/${link.name}`, kerfNamespace),
    name: link.name,
    isRunning: view.matches('polling'),
    isStandingBy: view.matches('polling.standby'),
    context: view.context,
    progress: link.progress,
  };
}
