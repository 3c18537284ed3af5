import type { Cycle } from './cycle.ts';
import type { FirmwareOptions } from './firmware-options.ts';
import { Intake } from './intake.ts';

/** Old jobs give up their bytes beyond this. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** Every job that came in, in the order of coming. */
export class ReceivedJobs {
  readonly list: Intake[] = [];
  readonly #options: FirmwareOptions;

  constructor(options: FirmwareOptions) {
    this.#options = options;
  }

  /** Undefined: vector or command type have not been said. */
  begin(link: string, { linkInfo, offered, selected, vector, commandType }: Cycle): Intake | undefined {
    if (vector === undefined || commandType === undefined) return undefined;
    const { model, stepMm, clock } = this.#options;
    const job = new Intake({
      n: this.list.length, link, linkInfo, name: offered?.[selected ?? 0] ?? '',
      vector, commandType, startedAtMs: clock.now(),
    }, {
      stepMm, maxSpeedMmPerS: model.maxSpeedMmPerS, maxAccelerationLevel: model.maxAccelerationLevel, maxForceLevel: model.maxForceLevel,
      chainsWithCommas: model.family === 'silhouette',
    });
    this.list.push(job);
    return job;
  }

  forgetOldBytes(): void {
    let kept = 0;
    for (let index = this.list.length - 1; index >= 0; index--) {
      const job = this.list[index];
      kept += job?.bytes ?? 0;
      if (kept > KEPT_BYTES && index < this.list.length - 1) job?.forget();
    }
  }
}
