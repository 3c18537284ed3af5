import { fork } from 'node:child_process';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

/** The conversation of an offer between two idle processes that do nothing else: what the machine itself takes. */
export interface BareConversation {
  /** Milliseconds from the reply "2" to the list. */
  once(): Promise<number>;
  stop(): void;
}

export async function startBareConversation(): Promise<BareConversation> {
  let began = 0;
  let took = Number.NaN;
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.setEncoding('latin1').on('data', (piece: string) => {
      if (piece === 'status') began = performance.now();
      if (piece.startsWith('list')) took = performance.now() - began;
      socket.write(piece === 'status' ? '2\x03' : 'B00000001\x03');
    }).on('end', () => socket.end()).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = fork(fileURLToPath(new URL('bare-client.ts', import.meta.url)), [String(port)], { execArgv: ['--import', 'tsx'] });
  await once(client, 'message');
  return {
    async once() {
      const done = once(client, 'message');
      client.send('go');
      await done;
      return took;
    },
    stop() {
      client.kill();
      server.close();
    },
  };
}
