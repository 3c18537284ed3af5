import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figures.ts';
import { startService, temporaryDirectory, type Usage } from '../service-process.ts';
import { cuttersSetting, startCutter } from './cutters.ts';

const settlingMs = 15_000;

/** Nothing happens: four cutters stand still and are polled, two over TCP and two over a serial line. */
export async function benchIdle(entry: string, isShort: boolean): Promise<Figure[]> {
  const directory = temporaryDirectory();
  const pty = (name: string): ReturnType<typeof startCutter> => startCutter(name, { ptyPath: join(directory.path, name), model: 'CE7000-60' });
  const cutters = await Promise.all([startCutter('t1', { tcpPort: 0 }), startCutter('t2', { tcpPort: 0 }), pty('s1'), pty('s2')]);
  let polls = 0;
  for (const { simulator } of cutters) simulator.observe(({ kind }) => (polls += kind === 'reported' ? 1 : 0));
  const service = await startService(entry, { APP_DATA_DIR: join(directory.path, 'data'), CUTTERS: cuttersSetting(cutters) });
  await sleep(settlingMs);
  const minutes = isShort ? 1 : 10;
  const [before, pollsBefore, began] = [service.usage(), polls, performance.now()];
  await sleep(minutes * 60_000);
  const [after, passedMs] = [service.usage(), performance.now() - began];
  const polled = polls - pollsBefore;
  await service.stop();
  await Promise.all(cutters.map(({ simulator }) => simulator.stop()));
  directory.remove();
  const grown = (name: keyof Usage): number => after[name] - before[name];
  const detail = `${minutes} minutes, ${polled} polls of 4 cutters (2 TCP, 2 serial)`;
  return [
    { name: 'written to disk by the idle service', value: grown('writtenBytes'), unit: 'bytes', digits: 0, detail: `${detail}; write_bytes of /proc/<pid>/io`, limit: { kind: 'at most', value: 0 } },
    { name: 'CPU of the idle service', value: 100 * grown('cpuMs') / passedMs, unit: '% of a core', digits: 2, detail, limit: { kind: 'less than', value: 1 } },
    { name: 'memory of the idle service (RSS)', value: after.residentMb, unit: 'MB', digits: 0, detail },
  ];
}
