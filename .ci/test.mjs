// Runs every test file with node:test through tsx. Node 20 knows no globs for --test, so the files are listed here.
// usage: npm test [-- part-of-a-path …]
import { readdirSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

const wanted = process.argv.slice(2);
const files = readdirSync('test', { recursive: true })
  .map((name) => `test/${name}`)
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no test file matches ${wanted.join(' ')}`);
  process.exit(2);
}
const run = spawnSync(process.execPath, ['--import', 'tsx', '--test', '--test-reporter=spec', '--test-timeout=240000', '--test-force-exit', ...files], { stdio: 'inherit' });
process.exit(run.status ?? 1);
