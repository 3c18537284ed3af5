import { closeSync, constants, openSync } from 'node:fs';
import { createPreparer } from '../../../src/prepare/index.ts';
import { input } from '../stand-in.ts';

/** A service whose worker leaves, that has no file descriptor left then, and then some again: what it answers to each file. */
const room = createPreparer({
  workerUrl: new URL('./stand-in-worker.ts', import.meta.url),
  clock: {
    after(ms, action) {
      const timer = setTimeout(action, ms);
      return () => clearTimeout(timer);
    },
  },
});
const answer = async (order: number): Promise<string> => {
  const result = await room.prepare(input({ pdf: Uint8Array.of(order) }));
  return result.ok ? 'ok' : result.failure.code;
};

// Once with descriptors: what Node could not look up for want of them, it takes for missing ever after.
const answers = [await answer(2)];
const held: number[] = [];
try {
  for (;;) held.push(openSync('/dev/null', constants.O_RDONLY));
} catch {
  // That was the last one.
}
answers.push(...await Promise.all([answer(0), answer(0)]));
for (const fd of held) closeSync(fd);
answers.push(await answer(0));
await room.stop();
console.log(answers.join('\n'));
