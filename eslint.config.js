import { readdirSync } from 'node:fs';
import tseslint from 'typescript-eslint';
import { importX } from 'eslint-plugin-import-x';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';

// Who may import whom. A room that is not named may import no other room.
// The reasons for every arrow that ../shared/DESIGN.md does not draw stand in docs/decisions/.
const allowed = {
  machines: [],
  'src/store': [],
  'src/gpgl': [],
  'src/pdf': [],
  'src/datalink': [],
  'src/sheet': ['src/gpgl'],
  'src/order': ['src/gpgl'],
  'src/runtime': ['machines', 'src/store'],
  'src/jobs': ['src/runtime', 'src/store'],
  'src/webhooks': ['machines', 'src/runtime', 'src/store'],
  'src/access': ['src/runtime', 'src/store'],
  'src/cutters': ['machines', 'src/datalink', 'src/jobs', 'src/runtime'],
  'src/prepare': ['src/pdf', 'src/sheet', 'src/order', 'src/gpgl', 'src/jobs'],
  'src/folders': ['machines', 'src/runtime', 'src/jobs', 'src/prepare', 'src/gpgl'],
  'src/http': [
    'machines', 'src/runtime', 'src/jobs', 'src/cutters', 'src/prepare', 'src/webhooks', 'src/access',
    'src/folders', 'src/gpgl', 'src/store', 'src/dashboard', 'src/settings',
  ],
  'firmware-sim': [],
};

const rooms = [
  'machines',
  'firmware-sim',
  'demo',
  ...readdirSync('src', { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => `src/${entry.name}`),
];

/** One zone per (room, other room): forbidden altogether, or allowed through its index.ts only. */
const zones = rooms.filter((room) => room !== 'demo').flatMap((room) =>
  rooms.filter((other) => other !== room).map((other) => ({
    target: `./${room}`,
    from: `./${other}`,
    ...((allowed[room] ?? []).includes(other) ? { except: ['./index.ts'] } : {}),
    message: `${room} may not import this part of ${other}: see the table in eslint.config.js`,
  })),
);
for (const room of rooms.filter((name) => name !== 'demo')) {
  zones.push({ target: `./${room}`, from: ['./src/main.ts', './src/cli.ts'], message: 'only demo and tests start the service' });
  zones.push({ target: './src/*.ts', from: `./${room}`, except: ['./index.ts'], message: 'a room is entered through its index.ts' });
}
zones.push({ target: './firmware-sim', from: './src', message: 'the simulator shares no code with the service: a common mistake would cancel itself out' });

/** Packages that one room alone may know. */
const owned = { lmdb: 'src/store', 'uWebSockets.js': 'src/http', serialport: 'src/datalink', chokidar: 'src/folders', 'pdfjs-dist': 'src/pdf' };
const ownership = [undefined, ...new Set(Object.values(owned))].map((room) => ({
  files: room === undefined ? ['src/**/*.ts', 'machines/**/*.ts', 'demo/**/*.ts', 'bench/**/*.ts'] : [`${room}/**/*.ts`],
  rules: {
    'no-restricted-imports': ['error', {
      paths: Object.entries(owned).filter(([, owner]) => owner !== room).map(([name, owner]) => ({ name, message: `only ${owner} imports ${name}` })),
    }],
  },
}));

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'data', 'demo-data'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver({ noWarnOnMultipleProjects: true })] },
    rules: {
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-restricted-paths': ['error', { zones }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as', objectLiteralTypeAssertions: 'never' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/prefer-literal-enum-member': 'off',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // Type parameters that only label a value (tables, machine types) are used on purpose.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
    },
  },
  ...ownership,
  {
    // node:test's describe and it return promises that the runner itself awaits.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: [{ from: 'package', package: 'node:test', name: ['describe', 'it', 'test', 'suite'] }] }],
    },
  },
);
