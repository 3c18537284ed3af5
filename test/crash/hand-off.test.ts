import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { createCutter } from '../../firmware-sim/index.ts';
import { eventually, prepare, samplePdf, temporaryDirectory } from '../support/kerf.ts';

const kills = Math.max(8, Math.floor(Number(process.env.KERF_CRASH_KILLS ?? 20) / 2));

interface Status {
  current_status: number;
  last_hand_off: { id: string; state: string } | null;
}

const openStates = ['sending', 'sent', 'cutting'];

async function startService(directory: string, cutters: string): Promise<{ child: ChildProcess; url: string }> {
  const environment = { ...process.env, APP_DATA_DIR: directory, API_PORT: '0', CUTTERS: cutters, DLS_POLL_INTERVAL_SECONDS: '0.5', LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/start.ts'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, url: line.replace('Kerf listens on ', '') };
}

describe('a hand-off under SIGKILL', () => {
  it(`is begun at most once for each scan, and ends as finished, interrupted or unknown, over ${kills} kills`, async () => {
    const directory = temporaryDirectory('crash');
    const cutter = createCutter({ model: 'FC9000-140', tcpPort: 0, timeScale: 60 });
    assert.ok((await cutter.start()).ok);
    const cutters = `left=127.0.0.1:${cutter.addresses().tcp?.port ?? 0}`;
    const acknowledged: string[] = [];
    const handOffs = new Map<string, string>();

    const observe = async (url: string): Promise<Status> => {
      const status = (await (await fetch(`${url}/dls/status?cutter=left`)).json()) as Status;
      const handOff = status.last_hand_off;
      const before = handOff === null ? undefined : handOffs.get(handOff.id);
      if (handOff !== null) {
        assert.ok(before === undefined || openStates.includes(before) || before === handOff.state, `hand-off ${handOff.id} went from ${before} to ${handOff.state}`);
        handOffs.set(handOff.id, handOff.state);
      }
      return status;
    };

    for (let kill = 0; kill <= kills; kill += 1) {
      const { child, url } = await startService(directory, cutters);
      await eventually('the cutter answers', async () => ((await observe(url)).current_status === 0 ? true : undefined));
      const settled = await observe(url);
      assert.ok(!openStates.includes(settled.last_hand_off?.state ?? 'finished'), `after a restart with an idle cutter the hand-off is ${settled.last_hand_off?.state}`);
      for (const id of acknowledged) assert.equal((await fetch(`${url}/jobs/${id}`)).status, 200, `job ${id} was acknowledged and is lost`);

      const answer = await prepare(url, samplePdf());
      assert.equal(answer.status, 200);
      acknowledged.push(answer.headers.get('X-Job-Id') ?? '');
      const streamsBefore = cutter.received().length;
      // The whole job fits into the kernel's buffers; reading it slowly keeps the hand-over open for a while.
      assert.ok(cutter.panel.fault('slow_read', '2500', 'once').ok);
      assert.ok(cutter.panel.scan(answer.headers.get('X-Barcode') ?? '').ok);

      if (kill === kills) {
        await eventually('the last one is cut', async () => ((await observe(url)).last_hand_off?.state === 'finished' && cutter.received().length > streamsBefore ? true : undefined));
        child.kill('SIGTERM');
        const [code] = (await once(child, 'exit')) as [number | null];
        assert.equal(code, 0);
      } else {
        await new Promise((resolve) => setTimeout(resolve, 700 + Math.random() * 1800));
        child.kill('SIGKILL');
        await once(child, 'exit');
        cutter.panel.cancel();
        await eventually('the operator has cleared the cutter', () => {
          if (cutter.state().state === 7) cutter.panel.acknowledge();
          else if (cutter.state().state !== 0) cutter.panel.cancel();
          return cutter.state().state === 0 && !cutter.state().receiving ? true : undefined;
        });
      }
      assert.ok(cutter.received().length - streamsBefore <= 1, `one scan brought ${cutter.received().length - streamsBefore} streams`);
    }
    await cutter.stop();
    process.stdout.write(`# hand-offs and how they ended: ${[...handOffs.values()].join(' ')}\n`);
  });
});
