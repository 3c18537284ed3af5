import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statfsSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { residentMb } from '../test/support/resident.ts';

/** The service as it runs in a shop: the bundle, in a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  /** From the call of spawn to the first line on stdout. */
  readonly startMs: number;
  /** What the kernel has counted so far. */
  usage(): Usage;
  stop(): Promise<void>;
}

export interface Usage {
  /** With its worker. */
  readonly residentMb: number;
  readonly cpuMs: number;
  /** Bytes of pages made dirty towards a disk, files that are mapped into memory included; proc(5), io. */
  readonly writtenBytes: number;
  /** Bytes given to write(2) and its like, sockets included. */
  readonly writeCallBytes: number;
}

const root = fileURLToPath(new URL('..', import.meta.url));

export interface Bundle {
  /** The file to start. */
  readonly entry: string;
  readonly remove: () => void;
}

/** A build of its own, so that nobody else's `npm run build` changes it in the middle of a measurement. */
export function buildBundle(): Bundle {
  const { path, remove } = temporaryDirectory();
  const built = spawnSync(process.execPath, [join(root, '.ci', 'build.mjs'), '--outdir', join(path, 'dist')], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the build failed: ${built.stderr}`);
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
  return { entry: join(path, 'dist', 'kerf.js'), remove };
}

/** `f_type` of a file system in memory; statfs(2). */
const tmpfsMagic = 0x01021994;

/** On a real disk: a file system in memory would hide what is written. */
export function temporaryDirectory(): { readonly path: string; readonly remove: () => void } {
  if (statfsSync(tmpdir()).type === tmpfsMagic) throw new Error(`${tmpdir()} is in memory; set TMPDIR to a directory on a disk`);
  const path = mkdtempSync(join(tmpdir(), 'kerf-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export async function startService(entry: string, settings: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const began = performance.now();
  const env = { PATH: process.env.PATH, API_PORT: '0', LOG_LEVEL: 'warn', ...settings };
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const first = once(createInterface({ input: child.stdout }), 'line').then((values: unknown[]) => String(values[0]));
  const died = ended.then(() => Promise.reject(new Error('the service ended before it listened')));
  died.catch(() => undefined);
  const line = await Promise.race([first, died]);
  const startMs = performance.now() - began;
  return {
    url: line.replace(/^\D+ (?=http)/, ''),
    startMs,
    usage: () => usageOf(child),
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const counted = (text: string, name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1]);

function usageOf({ pid }: ChildProcess): Usage {
  const read = (file: string): string => readFileSync(`/proc/${pid ?? 0}/${file}`, 'utf8');
  // User and system time are the fields 14 and 15, in ticks of 10 ms; the name before them may hold blanks.
  const [userTicks, systemTicks] = read('stat').replace(/^.*\) /, '').split(' ').slice(11, 13).map(Number);
  const io = read('io');
  return {
    residentMb: residentMb(pid ?? 0),
    cpuMs: ((userTicks ?? 0) + (systemTicks ?? 0)) * 10,
    writtenBytes: counted(io, 'write_bytes'),
    writeCallBytes: counted(io, 'wchar'),
  };
}
