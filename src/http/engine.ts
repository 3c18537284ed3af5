/**
 * The part of uWebSockets.js that Kerf uses, as types of our own: the package's declarations let `any` in, and another
 * build of the engine (docs/decisions/uwebsockets.md) must offer exactly this. Objects of the engine stay in adapter.ts.
 */
export interface EngineResponse {
  writeStatus(status: string): unknown;
  writeHeader(name: string, value: string): unknown;
  /** True: no backpressure. */
  write(chunk: string | Uint8Array): boolean;
  end(body?: string | Uint8Array, closeConnection?: boolean): unknown;
  endWithoutBody(): unknown;
  /** [everything given was sent, the answer is complete]. */
  tryEnd(chunk: Uint8Array, totalBytes: number): [boolean, boolean];
  getWriteOffset(): number;
  close(): unknown;
  cork(run: () => void): unknown;
  onWritable(handler: (offset: number) => boolean): unknown;
  onAborted(handler: () => void): unknown;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  getRemoteAddressAsText(): ArrayBuffer;
}

export interface EngineRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  getQuery(): string | undefined;
  forEach(visit: (name: string, value: string) => void): void;
}

export interface EngineApp {
  any(pattern: string, handler: (response: EngineResponse, request: EngineRequest) => void): unknown;
  listen(host: string, port: number, options: number, done: (listenSocket: unknown) => void): unknown;
  close(): unknown;
}

export interface Engine {
  App(): EngineApp;
  us_listen_socket_close(listenSocket: unknown): void;
  us_socket_local_port(listenSocket: unknown): number;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  /** 'silent': no "uWebSockets" header. */
  _cfg(key: string): void;
}

/** The whole head of a request. 4,096 is the engine's default; a 7,000-byte key must get 401, not 431 (api-decisions.md section 1). */
export const maxHeaderBytes = 16_384;

/** Loads the native engine, once per process: its header limit is read from the environment while it loads. */
export async function loadEngine(): Promise<Engine> {
  process.env.UWS_HTTP_MAX_HEADERS_SIZE = String(maxHeaderBytes);
  const loaded: unknown = await import('uWebSockets.js');
  // The upstream build is CommonJS, the republished one is ESM.
  const candidate = isEngine(loaded) ? loaded : memberOf(loaded, 'default');
  if (!isEngine(candidate)) throw new Error('the uWebSockets.js that is installed lacks a function Kerf needs; see docs/decisions/uwebsockets.md');
  candidate._cfg('silent');
  return candidate;
}

function isEngine(value: unknown): value is Engine {
  return ['App', 'us_listen_socket_close', 'us_socket_local_port', '_cfg'].every((name) => typeof memberOf(value, name) === 'function')
    && typeof memberOf(value, 'LIBUS_LISTEN_EXCLUSIVE_PORT') === 'number';
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
}
