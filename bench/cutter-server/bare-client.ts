/** The least a server can do: asks, and on "2" asks for the barcode and sends a list of the same length. No Kerf in it. */
import net from 'node:net';

const port = Number(process.argv[2]);

const exchange = (payload: string): Promise<string> => new Promise((resolve, reject) => {
  let reply = '';
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true }, () => socket.write(payload));
  socket.setEncoding('latin1').on('data', (piece: string) => {
    reply += piece;
    if (piece.endsWith('\x03')) socket.end();
  });
  socket.once('close', () => resolve(reply)).once('error', reject);
});

process.on('message', () => {
  void (async () => {
    if (await exchange('status') !== '2\x03') throw new Error('the peer does not follow');
    const code = await exchange('code');
    await exchange(`list ${code}${'x'.repeat(160)}`);
    process.send?.('done');
  })();
});
process.send?.('ready');
