/**
 * A service that is killed: it tells the journal of jobs as fast as it can and says on stdout which are on disk.
 * Arguments: directory, URL of the receiver, jobs at once.
 */
import { bench } from './bench.ts';
import { systemClock } from '../../src/runtime/index.ts';

const [directory = '', url = '', atOnce = '1'] = process.argv.slice(2);
const clock = { ...systemClock(), advance: () => Promise.resolve(), jumpTo: () => undefined };
const made = await bench({ url, directory, clock });
process.stdout.write('ready\n');
for (let round = 0; ; round += 1) {
  await Promise.all(Array.from({ length: Number(atOnce) }, async (_, index) => {
    const name = `${process.pid}-${round}-${index}`;
    await made.tell(name);
    process.stdout.write(`${name}\n`);
  }));
}
