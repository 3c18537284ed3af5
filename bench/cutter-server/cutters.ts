import { createCutter, type CutterOptions, type CutterSimulator } from '../../firmware-sim/index.ts';

export interface BenchCutter {
  readonly name: string;
  /** As in the CUTTERS setting. */
  readonly address: string;
  readonly simulator: CutterSimulator;
}

/** A running simulated cutter; `serialSettings` are those of its address. */
export async function startCutter(name: string, options: Partial<CutterOptions>, serialSettings = ''): Promise<BenchCutter> {
  const simulator = createCutter({ model: 'FC9000-140', ...options });
  const started = await simulator.start();
  if (!started.ok) throw new Error(started.failure.detail);
  const { tcp, pty } = started.value;
  return { name, simulator, address: pty === undefined ? `tcp://127.0.0.1:${tcp?.port ?? 0}` : `serial://${pty.path}${serialSettings}` };
}

export const cuttersSetting = (cutters: readonly BenchCutter[]): string => cutters.map(({ name, address }) => `${name}=${address}`).join(',');

/** Resolves at the next event of a simulator for which `isIt` holds, with the time of it (performance.now). */
export function nextEvent(simulator: CutterSimulator, isIt: (event: Parameters<Parameters<CutterSimulator['observe']>[0]>[0]) => boolean): Promise<number> {
  return new Promise((resolve) => {
    const stop = simulator.observe((event) => {
      if (!isIt(event)) return;
      const at = performance.now();
      stop();
      resolve(at);
    });
  });
}
