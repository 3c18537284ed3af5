import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { done, refused, type Outcome } from './failure.ts';
import type { Faults } from './faults.ts';
import { Link, type LinkOptions } from './link.ts';

// TCP as the cutter speaks it (gpgl-and-data-link.md section 4): it listens, takes one connection at a time and refuses a
// second outright, and closes its side after the peer's.

export type LinkParts = Pick<LinkOptions, 'firmware' | 'faults' | 'clock' | 'log'>;

const HOST = '127.0.0.1';

export class TcpPort {
  readonly #wantedPort: number;
  readonly #parts: LinkParts;
  readonly #faults: Faults;
  readonly #onFaults = (): void => this.#followFaults();
  #server: Server | undefined;
  #port = 0;
  #listening = false;
  #stopped = false;
  #current: { readonly link: Link; readonly socket: Socket } | undefined;

  constructor(port: number, parts: LinkParts) {
    this.#wantedPort = port;
    this.#parts = parts;
    this.#faults = parts.faults;
  }

  get address(): string {
    return `${HOST}:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  async start(): Promise<Outcome<number>> {
    // pauseOnConnect: the bytes of a connection that may be refused are not read. allowHalfOpen: replies follow a FIN.
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => this.#arrived(socket));
    this.#server = server;
    const failure = await this.#listen(this.#wantedPort);
    if (failure !== undefined) return refused('TCP_UNAVAILABLE', `cannot listen on ${HOST}:${this.#wantedPort}: ${failure}`);
    this.#port = portOf(server.address());
    this.#faults.observe(this.#onFaults);
    this.#followFaults();
    return done(this.#port);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#faults.forget(this.#onFaults);
    this.#current?.link.close('stopped');
    this.#current?.socket.destroy();
    const server = this.#server;
    if (server?.listening === true) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  #listen(port: number): Promise<string | undefined> {
    const server = this.#server;
    return new Promise((resolve) => {
      const failed = (error: Error): void => resolve(error.message);
      server?.once('error', failed);
      server?.listen(port, HOST, () => {
        server.off('error', failed);
        this.#listening = true;
        resolve(undefined);
      });
    });
  }

  /** refuse_connections: a closed listening socket, so that connecting itself fails. */
  #followFaults(): void {
    const refuse = this.#faults.has('refuse_connections');
    if (refuse && this.#listening) {
      this.#listening = false;
      this.#server?.close();
    } else if (!refuse && !this.#listening && !this.#stopped) {
      this.#listening = true;
      void this.#listen(this.#port).then((failure) => {
        if (failure !== undefined) this.#parts.log.add('info', 'tcp', `cannot listen again: ${failure}`);
      });
    }
  }

  #arrived(socket: Socket): void {
    socket.on('error', () => { /* 'close' follows and says it */ });
    // The end of the connection before may lie in the same batch of events as this one: let it be read first.
    setImmediate(() => {
      // A reset connection is destroyed at once, but says 'close' only a turn later.
      if (this.#current?.socket.destroyed === true) this.#current.link.close('reset');
      if (this.#stopped || socket.destroyed) {
        socket.destroy();
      } else if (this.#current !== undefined && !this.#current.link.finished) {
        this.#parts.log.add('info', 'tcp', 'a second connection was refused');
        socket.resetAndDestroy();
      } else {
        this.#accept(socket);
      }
    });
  }

  #accept(socket: Socket): void {
    const link = new Link({
      ...this.#parts,
      kind: 'tcp',
      port: {
        write: (bytes) => { if (socket.writable) socket.write(bytes); },
        drop: () => { socket.resetAndDestroy(); },
        pause: () => { socket.pause(); },
        resume: () => { if (socket.isPaused()) socket.resume(); },
      },
      onFinished: () => { socket.end(); },
    });
    this.#current = { link, socket };
    socket.on('data', (bytes: Buffer) => link.push(bytes));
    socket.on('end', () => link.end());
    socket.on('close', () => {
      link.close('reset');
      if (this.#current?.socket === socket) this.#current = undefined;
    });
    if (!link.held) socket.resume();
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
