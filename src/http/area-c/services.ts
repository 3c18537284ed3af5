import type { Fleet } from '../../cutters/index.ts';
import type { HotFolders } from '../../folders/index.ts';
import type { JobLibrary } from '../../jobs/index.ts';
import type { JobImport, Pictures, PrintPreparation } from '../../prepare/index.ts';
import type { Clock, Runtime } from '../../runtime/index.ts';
import type { Store } from '../../store/index.ts';
import type { Webhooks } from '../../webhooks/index.ts';

/** What the routes of Area C stand on. */
export interface AreaCServices {
  readonly version: string;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly webhooks: Pick<Webhooks, 'counters' | 'warnings'>;
  readonly clock: Clock;
  readonly fleet: Fleet;
  readonly folders: HotFolders;
  readonly jobs: JobLibrary;
  readonly printPreparation: PrintPreparation;
  readonly jobImport: JobImport;
  readonly pictures: Pictures;
  readonly maxUploadBytes: number;
  /** Plain warnings about the installation, shown by /health. */
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  /** Delay of the event loop since the last call, in milliseconds. */
  readonly loopDelay: () => { readonly p99Ms: number; readonly maxMs: number };
}
