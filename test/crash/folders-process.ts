/** A process with both hot folders on real directories, to be killed at random. It tells over IPC what the journal says. */
import { systemClock } from '../../src/runtime/index.ts';
import { workshop } from '../folders/workshop.ts';

const [root = ''] = process.argv.slice(2);
const shop = workshop({ clock: systemClock(), root, minAgeMs: 0 });
shop.runtime.subscribe((entries) => {
  for (const { kind } of entries) process.send?.({ kind });
});
process.on('message', () => {
  void shop.stop().then(() => process.exit(0));
});
process.on('disconnect', () => process.exit(0));
await shop.start();
process.send?.({ kind: 'ready' });
