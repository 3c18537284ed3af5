import { quantile, spread, type Figure } from './figures.ts';
import { buildBundle, startService, temporaryDirectory } from './service-process.ts';

/** Plain start: no cutter, an empty data directory. */
export async function benchStart({ isShort }: { readonly isShort: boolean }): Promise<Figure[]> {
  const bundle = buildBundle();
  const startMs: number[] = [];
  const residentMb: number[] = [];
  const cpuMs: number[] = [];
  for (let i = 0; i < (isShort ? 5 : 25); i++) {
    const directory = temporaryDirectory();
    const service = await startService(bundle.entry, { APP_DATA_DIR: directory.path });
    startMs.push(service.startMs);
    const usage = service.usage();
    residentMb.push(usage.residentMb);
    cpuMs.push(usage.cpuMs);
    await service.stop();
    directory.remove();
  }
  bundle.remove();
  return [
    { name: 'start, from spawn to the first line', value: quantile(startMs, 0.5), unit: 'ms', digits: 0, detail: spread(startMs, 0), limit: { kind: 'less than', value: 600 } },
    { name: 'CPU time of the start', value: quantile(cpuMs, 0.5), unit: 'ms', digits: 0, detail: `${spread(cpuMs, 0)}; what other work on the machine changes least` },
    { name: 'memory after the start (RSS)', value: quantile(residentMb, 0.5), unit: 'MB', digits: 0, detail: spread(residentMb, 0), limit: { kind: 'less than', value: 120 } },
  ];
}
