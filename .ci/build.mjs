// Bundles the service: dist/kerf.js (the process) and dist/prepare-worker.js (the process that reads PDF files).
// usage: npm run build                       into dist/
//        npm run build -- --pack             and packs what is shipped: dist/kerf-<version>.tar.gz
//        node .ci/build.mjs --outdir DIR     elsewhere; the packages must be found from there
//
// What is bundled starts faster than what is looked up file by file. These stay packages beside the bundle:
//   lmdb, uWebSockets.js, serialport    native files, found relative to their own package
//   pdfjs-dist, @napi-rs/canvas         heavy, loaded by the worker when a page must be rendered
//   tsx                                 only asked for when the service runs from source
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' }, pack: { type: 'boolean', default: false } } });
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const external = ['lmdb', 'uWebSockets.js', 'serialport', '@serialport/*', 'pdfjs-dist', '@napi-rs/canvas', 'tsx'];

// Packages that are CommonJS inside call `require` for Node's own modules; an ES module has none by itself.
const banner = [
  "import { createRequire as kerfCreateRequire } from 'node:module';",
  'const require = kerfCreateRequire(import.meta.url);',
].join('\n');

const outdir = resolve(root, options.outdir);
if (options.outdir === 'dist') rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { kerf: 'src/start.ts', 'prepare-worker': 'src/prepare/worker.ts' },
  outdir,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  external,
  banner: { js: banner },
  // One file each: a stack trace of a bundle names functions, and the map leads back to the source.
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'linked',
  keepNames: true,
  metafile: true,
  logLevel: 'warning',
});

// The service must start, and idle, without the PDF code: it belongs to the worker alone.
const main = Object.values(metafile.outputs).find((output) => output.entryPoint === 'src/start.ts');
const insideMain = Object.keys(main.inputs);
const strays = insideMain.filter((file) => file.startsWith('src/pdf/') || /node_modules\/(pdf-lib|pdfjs-dist|@napi-rs)\//.test(file));
if (strays.length > 0) {
  console.error(`kerf.js holds PDF code, which only prepare-worker.js may:\n${strays.map((file) => `  ${file}`).join('\n')}`);
  process.exit(1);
}
for (const [file, { bytes, inputs }] of Object.entries(metafile.outputs)) {
  if (file.endsWith('.js')) console.log(`${file}  ${Math.round(bytes / 1024)} kB from ${Object.keys(inputs).length} files`);
}

// Packages inside the bundle have lost their own directory, and with it the text that must go with every copy.
const bundled = new Set(Object.keys(metafile.inputs).flatMap((file) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
const texts = [...bundled].sort().map((name) => {
  const home = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  const file = readdirSync(home).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  if (file === undefined) throw new Error(`${name} is bundled, but its license text is not where it is looked for`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(home, file), 'utf8').trim()}\n`;
});
writeFileSync(join(outdir, 'third-party-licenses.txt'), `kerf.js and prepare-worker.js contain parts of these packages:\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`);

// What is shipped: the bundle, the lock file from which `npm ci --omit=dev` fetches the packages beside it, what systemd
// needs, the documents, and the sources, which stack traces point into.
if (options.pack) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const name = `kerf-${version}`;
  const shipped = ['dist/kerf.js', 'dist/kerf.js.map', 'dist/prepare-worker.js', 'dist/prepare-worker.js.map', 'dist/third-party-licenses.txt',
    'package.json', 'package-lock.json',
    '.npmrc', 'tsconfig.json', 'README.md', 'docs', 'systemd', 'src', 'machines'];
  execFileSync('tar', ['--create', '--gzip', '--file', `dist/${name}.tar.gz`, '--owner=0', '--group=0', '--sort=name', `--transform=s,^,${name}/,`, ...shipped],
    { cwd: root, stdio: 'inherit' });
  console.log(`dist/${name}.tar.gz`);
}
