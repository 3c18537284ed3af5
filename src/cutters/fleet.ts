/** All cutters of the service: their actors, their poll loops, and what is known of each. */
import { v5 as uuidV5 } from 'uuid';
import { cutterKind, type CutterContext, type CutterWarning } from '../../machines/index.ts';
import type { Clock, Note } from '../datalink/index.ts';
import type { JobLibrary } from '../jobs/index.ts';
import type { ActorView, NewId, Runtime } from '../runtime/index.ts';
import { CutterControl, heldElsewhereWarning, type AcquireLock } from './control.ts';
import type { InfoResult } from './info.ts';
import type { CutterLink, CutterLinks } from './links.ts';
import { createPoller } from './poller.ts';

export interface CutterState {
  /** UUID version 5 of kind and name: the same at every start. */
  readonly id: string;
  readonly name: string;
  readonly isRunning: boolean;
  readonly isStandingBy: boolean;
  readonly context: CutterContext;
  /** Persistent, plain: the machine's settings, and who else drives it. */
  readonly warnings: readonly CutterWarning[];
  readonly progress: { readonly takenBytes: number; readonly totalBytes: number } | null;
}

export interface Fleet {
  /** Makes the actors, and begins polling if `poll`. */
  start(poll: boolean): Promise<void>;
  /** Ends polling with the service; job streams go on. */
  stop(): Promise<void>;
  /** Lets other services drive the cutters, once the job streams have ended. */
  release(): Promise<void>;
  /** Whether this call began the polling of a cutter (see CutterControl). False for a name there is none of. */
  startPolling(name: string): Promise<boolean>;
  /** Whether polling of a cutter is off now; false while a job is being sent to it. */
  stopPolling(name: string): Promise<boolean>;
  /** Who the machines say they are, asked now; none is asked if one of them is in the middle of a cycle. */
  info(names: readonly string[]): Promise<ReadonlyMap<string, InfoResult>>;
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
  /** So that two services of one machine do not drive the same cutter. */
  readonly acquireLock: AcquireLock;
  readonly log: { readonly info: (message: string) => void; readonly warn: (message: string) => void };
}

/** Namespace of the ids of things that people know by name: version 5 of the DNS namespace and "kerf". */
const kerfNamespace = uuidV5('kerf', uuidV5.DNS);

export function createFleet(options: FleetOptions): Fleet {
  const { links, runtime, clock, log } = options;
  const onTrouble = (message: string): void => log.warn(message);
  const controls = new Map<string, CutterControl>();
  for (const [name, link] of links) {
    const firstPollMs = Math.round((options.pollIntervalMs * controls.size) / links.size);
    const poller = createPoller({ ...options, link, firstPollMs, onTrouble });
    controls.set(name, new CutterControl({ ...options, link, onTrouble, poller }));
  }
  const all = async (act: (control: CutterControl) => Promise<void>): Promise<void> => {
    await Promise.all([...controls.values()].map(act));
  };

  const stateOf = (link: CutterLink): CutterState | undefined => {
    const view = runtime.view(cutterKind, link.name);
    return view === undefined ? undefined : toState(link, view, controls.get(link.name)?.isHeldElsewhere === true);
  };

  return {
    start: (poll) => all((control) => control.boot(poll)),
    stop: () => all((control) => control.halt()),
    release: () => all((control) => control.release()),
    startPolling: async (name) => (await controls.get(name)?.start()) ?? false,
    stopPolling: async (name) => (await controls.get(name)?.stop()) ?? false,
    async info(names) {
      const asked = names.flatMap((name) => {
        const control = controls.get(name);
        return control === undefined ? [] : [{ name, control }];
      });
      const busy = asked.flatMap(({ name, control }) => {
        const failure = control.refusalNow();
        return failure === null ? [] : [[name, { ok: false, failure }] as const];
      });
      if (busy.length > 0) return new Map<string, InfoResult>(busy);
      return new Map(await Promise.all(asked.map(async ({ name, control }) => [name, await control.info()] as const)));
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

function toState(link: CutterLink, view: ActorView<CutterContext>, isHeldElsewhere: boolean): CutterState {
  return {
    id: uuidV5(`cutter/${link.name}`, kerfNamespace),
    name: link.name,
    isRunning: view.matches('polling'),
    isStandingBy: view.matches('polling.standby'),
    context: view.context,
    warnings: [...(isHeldElsewhere ? [heldElsewhereWarning] : []), ...view.context.warnings],
    progress: link.progress,
  };
}
