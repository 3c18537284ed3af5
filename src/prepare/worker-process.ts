/**
 * The process in which files are read and drawn. A process, not a thread: it can be ended in the middle of a library's
 * long call, and everything it took of memory is given back with it.
 *
 * Hole: when the service is killed while its worker is in the middle of a file, the worker ends only after that file, and one
 * that a file keeps in a call without end does not end by itself. Under systemd it goes with the service.
 * Hole: it runs as the same user as the service, and could read what that user can.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { channelFd, openChannel } from './channel.ts';
import { inheritedFds } from './inherited-fds.ts';
import { entryArguments } from './worker-entry.ts';
import { isFromWorker, type FromWorker, type ToWorker } from './worker-messages.ts';

/** `heap`: its own objects became too many. `killed`: somebody else ended it, mostly the kernel for want of memory. */
export interface WorkerDeath {
  readonly kind: 'heap' | 'killed' | 'failed';
  /** For the log. */
  readonly detail: string;
}

export interface WorkerProcessOptions {
  /** worker.ts beside this file, or its bundle. */
  readonly url: URL;
  /** Of its own objects. */
  readonly heapLimitMb: number;
  readonly onMessage: (message: FromWorker) => void;
  /** It is gone, and nobody asked it to go. */
  readonly onDeath: (death: WorkerDeath) => void;
}

export interface WorkerProcess {
  /** The bytes in it must stay as they are until there is an answer. */
  send(message: ToWorker): void;
  /** What it holds of memory now (RSS); 0 where the system does not tell. */
  residentBytes(): number;
  /** Whether it keeps this process from ending by itself. */
  hold(isHolding: boolean): void;
  /** At once, whatever it is doing. Resolves when it is gone. */
  end(): Promise<void>;
}

const keptErrorCharacters = 4000;

/** Nothing of the service's own, which holds keys. For glibc, mallopt(3): memory from 128 KiB on goes back to
 * the system as soon as it is free. That is its own first threshold, which it would raise up to 32 MiB, and then keep what large pages took. */
const environment = { MALLOC_MMAP_THRESHOLD_: '131072' };

/** Where the system has no room for another process, it dies at once. */
export function startWorkerProcess(options: WorkerProcessOptions): WorkerProcess {
  try {
    const { url, heapLimitMb } = options;
    return workerOf(spawn(process.execPath, [`--max-old-space-size=${heapLimitMb}`, ...entryArguments(url), ...inheritedFds().map(String)], { stdio: ['ignore', 'ignore', 'pipe', 'pipe'], env: environment }), options);
  } catch (error) {
    // Node throws for some causes (ENOMEM), and tells of others by an event (EAGAIN).
    return stillborn(error, options);
  }
}

function stillborn(error: unknown, { onDeath }: WorkerProcessOptions): WorkerProcess {
  let isEnded = false;
  process.nextTick(() => {
    if (!isEnded) onDeath({ kind: 'failed', detail: String(error) });
  });
  return {
    send: () => undefined,
    residentBytes: () => 0,
    hold: () => undefined,
    end() {
      isEnded = true;
      return Promise.resolve();
    },
  };
}

function workerOf(child: ChildProcess, { onMessage, onDeath }: WorkerProcessOptions): WorkerProcess {
  const pipe = socketOf(child, channelFd);
  let isEnded = false;
  let said = '';
  const gone = new Promise<void>((resolve) => {
    const leave = (death: WorkerDeath): void => {
      if (!isEnded) onDeath(death);
      isEnded = true;
      resolve();
    };
    child.once('error', (error) => leave({ kind: 'failed', detail: error.message }));
    child.once('close', (code, signal) => leave(deathOf(code, signal, said)));
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-keptErrorCharacters);
  });
  const onPipeError = (error: Error): void => {
    // Mostly it is gone already, and its end tells more. One that cannot be understood must go.
    said = `${said}\n${error.message}`;
    child.kill('SIGKILL');
  };
  const channel = pipe === null ? null : openChannel(pipe.on('error', onPipeError), (message) => { if (isFromWorker(message)) onMessage(message); });
  const hold = (isHolding: boolean): void => {
    for (const each of [child, pipe, child.stderr]) if (each === child || each instanceof Socket) each[isHolding ? 'ref' : 'unref']();
  };
  return {
    send: (message) => channel?.send(message),
    residentBytes: () => residentBytesOf(child.pid),
    hold,
    end() {
      isEnded = true;
      // Its end is waited for.
      hold(true);
      child.kill('SIGKILL');
      return gone;
    },
  };
}

/** There is none where file descriptors ran out (EMFILE), whatever Node's types say. */
function socketOf({ stdio = [] }: { readonly stdio?: readonly unknown[] }, fd: number): Socket | null {
  const socket = stdio[fd];
  return socket instanceof Socket ? socket : null;
}

function deathOf(code: number | null, signal: NodeJS.Signals | null, said: string): WorkerDeath {
  const detail = `${signal === null ? `it left with code ${code ?? 0}` : `it was ended by ${signal}`}${said === '' ? '' : `: ${said.trim()}`}`;
  if (/heap out of memory|out of memory|Allocation failed/.test(said)) return { kind: 'heap', detail };
  return { kind: signal === 'SIGKILL' ? 'killed' : 'failed', detail };
}

/** Linux, proc(5): VmRSS of /proc/pid/status, in kB. */
function residentBytesOf(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid ?? 0}/status`, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
