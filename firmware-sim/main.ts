import { createInterface } from 'node:readline';
import { helpText, readArguments } from './args.ts';
import { answerLine } from './control-line.ts';
import { createCutter } from './index.ts';

// The command `npm run sim`. First lines on stdout: where it listens, one line each.

async function main(): Promise<void> {
  const read = readArguments(process.argv.slice(2));
  if (!read.ok) {
    process.stderr.write(`${read.failure.detail}\nTry --help.\n`);
    process.exitCode = 2;
    return;
  }
  if (read.value === 'help') {
    process.stdout.write(helpText());
    return;
  }
  const cutter = createCutter(read.value);
  process.once('exit', () => cutter.removeLink());
  const quit = (): void => {
    void cutter.stop().then(() => process.exit(0));
  };
  process.once('SIGINT', quit);
  process.once('SIGTERM', quit);
  const started = await cutter.start();
  if (!started.ok) {
    process.stderr.write(`${started.failure.detail}\n`);
    process.exitCode = 1;
    return;
  }
  const { tcp, pty, control } = started.value;
  if (tcp !== undefined) process.stdout.write(`tcp ${tcp.host}:${tcp.port}\n`);
  if (pty !== undefined) process.stdout.write(`pty ${pty.path} -> ${pty.device}\n`);
  if (control !== undefined) process.stdout.write(`control ${control.url}\n`);
  process.stdout.write('ready\n');

  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    const answer = answerLine(cutter, line);
    if (answer === undefined) return;
    process.stdout.write(`${answer.text}\n`);
    if (answer.quit) quit();
  });
}

await main();
