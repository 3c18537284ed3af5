/** A TCP proxy between Kerf and a cutter that does to the link what cables, switches and other software do. */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

export interface Mischief {
  /** What becomes of a piece on its way to Kerf; null: the connection is reset instead. */
  readonly toKerf?: (piece: Buffer) => Buffer | null;
  /** Reset after this many bytes towards the cutter on one connection. */
  readonly cutAfterBytes?: number;
  /** Every piece comes this much later, in both directions. */
  readonly delayMs?: number;
}

export interface BadProxy {
  readonly port: number;
  /** For the connections that begin from now on. */
  behave(mischief: Mischief): void;
  stop(): Promise<void>;
}

export async function startBadProxy(cutterPort: number): Promise<BadProxy> {
  let mischief: Mischief = {};
  const open = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    return socket.setNoDelay().once('close', () => open.delete(socket)).on('error', () => undefined);
  };
  const server = net.createServer({ allowHalfOpen: true }, (fromKerf) => {
    const now = mischief;
    const toCutter = keep(net.connect({ host: '127.0.0.1', port: cutterPort, allowHalfOpen: true }));
    keep(fromKerf);
    const reset = (): void => {
      fromKerf.resetAndDestroy();
      toCutter.destroy();
    };
    const later = (act: () => void): void => {
      if (now.delayMs === undefined) act();
      else setTimeout(act, now.delayMs);
    };
    let passed = 0;
    fromKerf.on('data', (piece: Buffer) => later(() => {
      const room = (now.cutAfterBytes ?? Infinity) - passed;
      passed += piece.length;
      toCutter.write(piece.subarray(0, Math.min(piece.length, room)));
      if (piece.length > room) reset();
    })).on('end', () => later(() => toCutter.end()));
    toCutter.on('data', (piece: Buffer) => later(() => {
      const changed = now.toKerf === undefined ? piece : now.toKerf(piece);
      if (changed === null) reset();
      else fromKerf.write(changed);
    })).on('end', () => later(() => fromKerf.end()));
    toCutter.once('close', () => fromKerf.destroySoon());
    fromKerf.once('close', () => toCutter.destroySoon());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    behave(next) {
      mischief = next;
    },
    async stop() {
      for (const socket of open) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
