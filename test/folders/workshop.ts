/** Both hot folders over real directories and a real store, with a preparation that takes no time. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { hotFolderKind } from '../../machines/index.ts';
import { createHotFolders, folderEffects, type FolderDirectories, type FolderId, type HotFolders } from '../../src/folders/index.ts';
import { createJobLibrary, jobTables, type JobLibrary } from '../../src/jobs/index.ts';
import { createPrintPreparation, type CutImportResult, type Pictures, type Preparer, type PrepareInput, type PrepareResult } from '../../src/prepare/index.ts';
import { createRuntime, runtimeTables, type Clock, type Effect, type Runtime } from '../../src/runtime/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';

export interface Workshop {
  readonly root: string;
  readonly directories: Readonly<Record<FolderId, FolderDirectories>>;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly jobs: JobLibrary;
  readonly folders: HotFolders;
  readonly effects: ReadonlyMap<string, Effect>;
  readonly troubles: string[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkshopOptions {
  readonly clock: Clock;
  readonly root?: string;
  readonly minAgeMs?: number;
  readonly directories?: Partial<FolderDirectories>;
  readonly preparer?: Preparer;
  readonly barcodePrefix?: string;
  /** Default: none is kept. */
  readonly pictures?: Pick<Pictures, 'keepRefusal'>;
}

export function workshop({ clock, root = mkdtempSync(join(tmpdir(), 'kerf-folders-')), minAgeMs = 2000, directories: other = {}, preparer = quickPreparer(), barcodePrefix = 'F', pictures = { keepRefusal: () => Promise.resolve(null) } }: WorkshopOptions): Workshop {
  const common = { processed: join(root, 'processed'), errors: join(root, 'errors') };
  const directories = {
    ingest: { inbox: join(root, 'cut'), outbox: null, ...common },
    print_prepare: { inbox: join(root, 'print'), outbox: join(root, 'outbox'), ...common, ...other },
  };
  const troubles: string[] = [];
  const store = openStore({ directory: join(root, 'data'), tables: [...runtimeTables, ...jobTables] });
  const effects = new Map<string, Effect>();
  const runtime = createRuntime({
    store, clock, effects, newId: uuidV7, journalKey: new TextEncoder().encode('a test key'),
    kinds: new Map([[hotFolderKind.kind, hotFolderKind]]), onTrouble: (message) => troubles.push(message),
  });
  const jobs = createJobLibrary({ store, runtime, clock, newId: uuidV7, barcodePrefix, onTrouble: (message) => { throw new Error(message); } });
  const printPreparation = createPrintPreparation({ preparer, jobs, stepsPerMm: 10, cutSpotColors: ['CutContour'] });
  const steps = folderEffects({ directories, jobs, printPreparation, preparer, pictures, stepsPerMm: 10, cutSpotColors: [], maxFileBytes: 1 << 20, now: () => clock.now() });
  for (const [name, effect] of steps) effects.set(name, effect);
  const folders = createHotFolders({ directories, minAgeMs, runtime, clock, newId: uuidV7, log: { warn: (message) => troubles.push(message) } });
  return {
    root, directories, store, runtime, jobs, folders, effects, troubles,
    async start() {
      await runtime.start();
      await folders.start({ ingest: true, print_prepare: true });
    },
    async stop() {
      await folders.stop();
      await runtime.stop(5000);
      await store.close();
    },
  };
}

export const pdfWith = (text: string): string => `%PDF-1.7\n${text}\n%%EOF\n`;

/** Refuses a page that says "no cut"; any other page becomes the same job, and a marked page that names its code. */
export function quickPreparer(): Preparer {
  const commandSequence = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode('H\x03');
  const refused = { ok: false, failure: { code: 'NO_CUT_PATHS', detail: 'The page has no cut paths.' }, report: null } as const;
  const hasCut = ({ pdf }: { readonly pdf: Uint8Array }): boolean => !new TextDecoder().decode(pdf).includes('no cut');
  const prepared = ({ pdf, linkInfo, stepsPerMm }: PrepareInput): PrepareResult => ({
    ok: true,
    report: null,
    prepared: {
      linkInfo, stepsPerMm, commandSequence: commandSequence(), commandSha256: '', markedPdf: new TextEncoder().encode(`${new TextDecoder().decode(pdf)}marked ${linkInfo}`),
      vector: { fx: 60, fy: 400, rx: 0, ry: 0 }, cutSource: 'spot-color', segmentCount: 1, warnings: [], boundsMm: { minXMm: 0, minYMm: 0, maxXMm: 1, maxYMm: 1 },
      cutLengthMm: 1, travelLengthMm: 1, estimateSeconds: 1, sheet: { widthMm: 100, heightMm: 100 },
      layout: { width_mm: 100, height_mm: 100, origin_mm: [0, 0], mark_rect_mm: [0, 0, 1, 1], cut_area_mm: [0, 0, 1, 1], marks_mm: [], bars_mm: [], zones: [] },
    },
  });
  const imported = (): CutImportResult => ({
    ok: true,
    imported: {
      commandSequence: commandSequence(), commandPreview: ['H'], segmentCount: 1, warnings: [], page: { widthMm: 100, heightMm: 100 },
      geometry: { steps_per_mm: 10, bounds_mm: { x0: 0, y0: 0, x1: 1, y1: 1 }, segments: 1, cut_length_mm: 1, travel_length_mm: 1, estimate_seconds: 1 },
    },
  });
  return {
    prepare: (input) => Promise.resolve(hasCut(input) ? prepared(input) : refused),
    importCutPdf: (input) => Promise.resolve(hasCut(input) ? imported() : refused),
    measure: () => Promise.resolve(null),
    draw: () => Promise.reject(new Error('a folder shows no pictures')),
    status: () => ({ isWorking: false, waitingCount: 0, isWarm: true, preparedCount: 0, refusedCount: 0 }),
    stop: () => Promise.resolve(),
  };
}
