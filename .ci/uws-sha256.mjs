// Checks that the native files of uWebSockets.js are the ones that were reviewed (docs/decisions/uwebsockets.md).
// They are machine code from a republished package, loaded into the service: a changed file must be noticed.
// usage: node .ci/uws-sha256.mjs [directory]            checks, exit 1 on any difference
//        node .ci/uws-sha256.mjs --write [directory]    writes the list anew, after a deliberate change of version
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const listFile = join(here, 'uws-sha256.txt');
const args = process.argv.slice(2);
const write = args.includes('--write');
const directory = args.find((arg) => !arg.startsWith('--')) ?? join(here, '..', 'node_modules', 'uWebSockets.js', 'dist', 'bin');

let names;
try {
  names = readdirSync(directory).filter((name) => name.endsWith('.node')).sort();
} catch (error) {
  console.error(`uWebSockets.js: cannot read ${directory} (${error.message}); run npm ci first`);
  process.exit(1);
}
const found = new Map(names.map((name) => [name, createHash('sha256').update(readFileSync(join(directory, name))).digest('hex')]));

if (write) {
  writeFileSync(listFile, [...found].map(([name, hash]) => `${hash}  ${name}\n`).join(''));
  console.log(`uWebSockets.js: wrote ${found.size} hashes to ${listFile}`);
  process.exit(0);
}

const expected = new Map(readFileSync(listFile, 'utf8').split('\n').filter((line) => line !== '').map((line) => {
  const [hash, name] = line.split(/\s+/);
  return [name, hash];
}));
const problems = [
  ...[...expected].filter(([name]) => !found.has(name)).map(([name]) => `${name} is missing`),
  ...[...found].filter(([name]) => !expected.has(name)).map(([name]) => `${name} is not in the list`),
  ...[...found].filter(([name, hash]) => expected.has(name) && expected.get(name) !== hash)
    .map(([name, hash]) => `${name} has SHA-256 ${hash}, expected ${expected.get(name)}`),
];
if (expected.size === 0) problems.push(`${listFile} is empty`);
if (problems.length > 0) {
  console.error(`uWebSockets.js: the native files are not the ones that were reviewed:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  console.error('Do not start the service with them. See docs/decisions/uwebsockets.md.');
  process.exit(1);
}
console.log(`uWebSockets.js: ${found.size} native files match`);
