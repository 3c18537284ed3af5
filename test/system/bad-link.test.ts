import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { createCutter, type CutterSimulator } from '../../firmware-sim/index.ts';
import { startBadProxy, type Mischief } from '../support/bad-proxy.ts';
import { eventually, prepare, samplePdf, startKerf, type TestKerf } from '../support/kerf.ts';
import { member } from '../support/openapi.ts';

const timeScale = 100;
const pollMs = 500;

async function startCutter(): Promise<{ cutter: CutterSimulator; port: number }> {
  const cutter = createCutter({ model: 'FC9000-140', tcpPort: 0, timeScale });
  assert.ok((await cutter.start()).ok);
  return { cutter, port: cutter.addresses().tcp?.port ?? 0 };
}

/** A machine that answers every connection in its own way. */
async function startPeer(serve: (socket: Socket) => void): Promise<{ port: number; stop(): void }> {
  const open = new Set<Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    serve(socket.on('error', () => undefined).once('close', () => open.delete(socket)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

function flood(socket: Socket): void {
  const piece = Buffer.alloc(65_536, 0x31);
  const pour = (): void => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', pour);
  pour();
}

const status = async (kerf: TestKerf, cutter: string): Promise<unknown> => kerf.get(`/dls/status?cutter=${cutter}`);

describe('a cutter among others', () => {
  it('is polled in its time while the others hang, flood, drop every connection and lie', async () => {
    const good = await startCutter();
    let lie = 0;
    const lies = ['0\x03', '6\x03', '-7\x03', '99\x03', '\x03', 'no\x03', '4\x03', '2\x03'];
    const peers = await Promise.all([
      startPeer((socket) => socket.resume()),
      startPeer((socket) => flood(socket.resume())),
      startPeer((socket) => socket.resetAndDestroy()),
      startPeer((socket) => socket.on('data', () => socket.write(lies[lie++ % lies.length] ?? ''))),
    ]);
    const bad = peers.map(({ port }, index) => `bad${index}=tcp://127.0.0.1:${port}`);
    const kerf = await startKerf({ CUTTERS: [...bad, `good=tcp://127.0.0.1:${good.port}`].join(',') });
    try {
      const reported: number[] = [];
      good.cutter.observe((event) => {
        if (event.kind === 'reported') reported.push(performance.now());
      });
      await eventually('twelve polls of the good one', () => (reported.length >= 12 ? true : undefined));
      const gaps = reported.slice(1).map((at, index) => at - (reported[index] ?? 0));
      assert.ok(Math.max(...gaps) < 2 * pollMs, `the longest pause between two polls was ${Math.max(...gaps).toFixed(0)} ms`);
      assert.ok(lie > 10 && member(await status(kerf, 'bad0'), 'current_status') === -999, 'the others misbehave');
      const job = await prepare(kerf.url, samplePdf());
      assert.ok(good.cutter.panel.scan(job.headers.get('X-Barcode') ?? '').ok);
      await eventually('the good one gets its job', async () => (member(await status(kerf, 'good'), 'last_hand_off', 'state') === 'finished' ? true : undefined));
    } finally {
      await kerf.stop();
      await good.cutter.stop();
      for (const peer of peers) peer.stop();
    }
  });
});

const flipped = (at: number) => (piece: Buffer): Buffer => {
  const changed = Buffer.from(piece);
  changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ 0x15;
  return changed;
};

let turn = 0;
const everyThird = (then: (piece: Buffer) => Buffer | null) => (piece: Buffer): Buffer | null => (turn++ % 3 === 2 ? then(piece) : piece);

/** What happens to the link, and whether a job may still come through. */
const troubles: readonly (readonly [string, Mischief, boolean])[] = [
  ['comes 60 ms late', { delayMs: 60 }, true],
  ['is cut before a question is whole', { cutAfterBytes: 3 }, false],
  ['is cut in the middle of the job', { cutAfterBytes: 400 }, false],
  ['drops every third reply', { toKerf: everyThird(() => null) }, true],
  ['garbles the first byte of every third reply', { toKerf: everyThird(flipped(0)) }, true],
  ['garbles the last byte of every third reply', { toKerf: everyThird((piece) => flipped(piece.length - 1)(piece)) }, true],
  ['loses the end of every third reply', { toKerf: everyThird((piece) => piece.subarray(0, -1)) }, true],
  ['doubles every third reply', { toKerf: everyThird((piece) => Buffer.concat([piece, piece])) }, true],
];

describe('a link that', () => {
  for (const [name, mischief, mayFinish] of troubles) {
    it(`${name} never brings a job twice, nor says finished of one that did not come whole`, async () => {
      const { cutter, port } = await startCutter();
      const proxy = await startBadProxy(port);
      const kerf = await startKerf({ CUTTERS: `cutter=tcp://127.0.0.1:${proxy.port}` });
      try {
        await eventually('it is there', async () => (member(await status(kerf, 'cutter'), 'current_status') === 0 ? true : undefined));
        const job = await prepare(kerf.url, samplePdf());
        const id = job.headers.get('X-Job-Id') ?? '';
        turn = 0;
        proxy.behave(mischief);
        const scannedAt = Date.now();
        assert.ok(cutter.panel.scan(job.headers.get('X-Barcode') ?? '').ok);
        const handOff = async (): Promise<unknown> => member(await status(kerf, 'cutter'), 'last_hand_off', 'state');
        const ends = ['finished', 'interrupted', 'rejected', 'unknown_outcome', 'standby', 'link_lost', 'no_match'];
        const seen = await eventually('the cycle ends, or is given up', async () => {
          const entries = (await kerf.get('/dls/events?cutter=cutter')) as { kind: string; time: string }[];
          const kinds = entries.filter(({ time }) => Date.parse(time) >= scannedAt).map(({ kind }) => kind);
          return kinds.some((kind) => ends.includes(kind)) ? kinds : undefined;
        });
        assert.ok(mayFinish || !seen.includes('finished'));
        proxy.behave({});
        cutter.panel.cancel();
        if (cutter.state().state === 7) cutter.panel.acknowledge();
        await eventually('it is polled again, at rest', async () => (member(await status(kerf, 'cutter'), 'current_status') === cutter.state().state && [0, 7].includes(cutter.state().state) ? true : undefined));
        const whole = new Uint8Array(await (await fetch(`${kerf.url}/jobs/${id}/gpgl`)).arrayBuffer());
        const got = cutter.received().map((_, index) => cutter.receivedBytes(index)).flatMap((bytes) => (bytes.ok ? [Buffer.from(bytes.value)] : []));
        assert.ok(got.length <= 1, `${got.length} jobs came`);
        for (const bytes of got) assert.deepEqual(new Uint8Array(bytes), whole.subarray(0, bytes.length), 'what came is the beginning of the job');
        if (await handOff() === 'finished') assert.equal(got[0]?.length, whole.length, 'a finished job came whole');
      } finally {
        await kerf.stop();
        await cutter.stop();
        await proxy.stop();
      }
    });
  }
});
