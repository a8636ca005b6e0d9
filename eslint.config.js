// The rules of docs/contributing/architecture.md are enforced here: which layer may import which layers and packages. A
// test compares the page with this file.
import eslint from '@eslint/js';
import boundaries from 'eslint-plugin-boundaries';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

/** Every layer, and the layers that it may import. */
const layerDependencies = {
  runtime: [],
  contract: [],
  http: ['runtime'],
  client: ['contract', 'http', 'runtime'],
  evidence: ['contract', 'http', 'runtime'],
  operations: ['client', 'contract', 'evidence', 'http', 'runtime'],
  step: ['client', 'contract', 'evidence', 'http', 'operations', 'runtime'],
  main: ['step'],
  'service-rules': ['contract', 'runtime'],
  'service-network': ['contract', 'runtime'],
  'service-issuers': ['contract', 'runtime', 'service-rules', 'service-network'],
  'service-database': ['contract', 'runtime', 'service-rules', 'service-network', 'service-records'],
  'service-records': ['contract', 'runtime', 'service-rules', 'service-database'],
  'service-use-cases': ['contract', 'runtime', 'service-rules', 'service-database', 'service-records'],
  'service-server': [
    'contract',
    'runtime',
    'service-rules',
    'service-database',
    'service-records',
    'service-use-cases',
  ],
  'service-routes': [
    'contract',
    'runtime',
    'service-rules',
    'service-database',
    'service-records',
    'service-use-cases',
    'service-server',
  ],
  'service-delivery': [
    'contract',
    'runtime',
    'service-rules',
    'service-network',
    'service-database',
    'service-records',
    'service-use-cases',
  ],
  'service-commands': ['contract', 'runtime', 'service-rules', 'service-database', 'service-use-cases', 'service'],
  service: [
    'contract',
    'runtime',
    'service-rules',
    'service-network',
    'service-issuers',
    'service-database',
    'service-records',
    'service-use-cases',
    'service-server',
    'service-routes',
    'service-delivery',
    'service-commands',
  ],
};

/** Packages that only some layers may import. */
const packageUsers = {
  undici: ['http'],
  'form-data': ['client'],
  '@actions/core': ['step'],
  '@actions/github': ['evidence'],
  '@actions/exec': ['evidence'],
  'node:child_process': ['evidence'],
  'js-yaml': ['evidence', 'service-rules'],
  sax: ['evidence'],
  'spdx-expression-parse': ['evidence'],
  re2js: ['service-rules'],
  ajv: ['service-rules'],
  'jq-wasm': ['service-rules'],
  fastify: ['service-server', 'service-routes', 'service'],
  '@fastify': ['service-server'],
  piscina: ['service-server', 'service-use-cases'],
  'client-zip': ['service-routes'],
  'lru-cache': ['service-use-cases', 'service-issuers'],
  'node:sqlite': ['service-database'],
  pg: ['service-database'],
  '@aws-sdk': ['service-database'],
  jose: ['service-issuers'],
  nodemailer: ['service-delivery'],
  '@octokit/auth-app': ['service-delivery'],
  '@octokit/request': ['service-delivery'],
  '@octokit/webhooks': ['service-routes'],
  '@sigstore': ['service-rules'],
};

/** Matches an import of a file inside a package. */
const deepImport = {
  // The entry point that ajv documents for later versions of JSON Schema is a file.
  regex: '^(?!node:|ajv/dist/2020\\.js$)(?:@[^/]+/)?[^@./][^/]*/.|(?:^|/)node_modules/',
  message:
    'Import the public entry point of the package. If it loads slowly, tools/bundle can replace it in the bundle.',
};

/** Matches the modules of Node.js that are functions; a test compares the names with those of Node.js. */
const functionModules = {
  regex: '^node:(?:assert|assert/strict|events|module|stream|test)$',
  message:
    'This module is a function, and import() of a function has only `default` in dist/. Import its names with a static import; to load them rarely, do so in a file that is itself loaded with import().',
};

/** The files of the layers. The first pattern that matches a file decides. */
const layers = [
  ...['runtime', 'contract', 'http', 'client', 'evidence', 'operations', 'step'].map((layer) => ({
    category: layer,
    pattern: `src/${layer}/**`,
  })),
  { category: 'main', pattern: 'src/*.ts' },
  { category: 'service', pattern: 'src/service/*.ts' },
  { category: 'service-commands', pattern: 'src/service/commands/**' },
  { category: 'service-network', pattern: 'src/service/platform/network/**' },
  { category: 'service-server', pattern: 'src/service/platform/{server,pages}/**' },
  { category: 'service-records', pattern: 'src/service/**/*-records.ts' },
  { category: 'service-database', pattern: 'src/service/platform/{database,attachments}/**' },
  { category: 'service-use-cases', pattern: 'src/service/platform/{judging,idempotency}/**' },
  { category: 'service-use-cases', pattern: 'src/service/**/{*-use-cases.ts,background/**}' },
  { category: 'service-routes', pattern: 'src/service/**/*-{routes,response,page,html}.ts' },
  { category: 'service-issuers', pattern: 'src/service/login/issuers/**' },
  { category: 'service-delivery', pattern: 'src/service/{notification/delivery,github/sending}/**' },
  // What has none of these names is a rule, which may do the least.
  { category: 'service-rules', pattern: 'src/service/**' },
];

const allowedLayers = Object.entries(layerDependencies).map(([from, to]) => ({
  from: { file: { categories: from } },
  allow: { to: { file: { categories: `{${[from, ...to].join(',')},}` } } },
}));

const forbiddenPackages = Object.entries(packageUsers).map(([name, users]) => ({
  from: { file: { categories: `!{${users.join(',')},}` } },
  disallow: { to: { module: { source: [name, `${name}/**`] } } },
  message: `Only these layers may import ${name}: ${users.join(', ')}.`,
}));

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/', 'build/'] },
  eslint.configs.recommended,
  {
    plugins: { 'simple-import-sort': simpleImportSort },
    rules: {
      'no-duplicate-imports': 'error',
      // Packages, then our own modules, from far to near, as one block.
      'simple-import-sort/imports': ['error', { groups: [['^node:', '^@?\\w', '^', '^\\.']] }],
    },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }],
      complexity: ['error', 12],
      'max-lines': ['error', { max: 350, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { boundaries },
    settings: {
      'boundaries/elements': [{ type: 'source', pattern: 'src', partialMatch: false }],
      'boundaries/files': layers,
      'boundaries/files-single-match': true,
      'import/resolver': { node: { extensions: ['.ts', '.js'] } },
    },
    rules: {
      'boundaries/no-unknown-files': 'error',
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          checkAllOrigins: true,
          checkInternals: true,
          policies: [
            { allow: { to: { module: { origin: ['external', 'core'] } } } },
            ...allowedLayers,
            ...forbiddenPackages,
          ],
        },
      ],
      'no-restricted-imports': ['error', { patterns: [deepImport] }],
      'no-restricted-syntax': [
        'error',
        ...[deepImport, functionModules].map(({ regex, message }) => ({
          selector: `ImportExpression > Literal[value=/${regex.replaceAll('/', '\\/')}/]`,
          message,
        })),
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'trial/**/*.ts', 'tools/**/*.ts', 'bench/**/*.ts', 'src/service/main.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  {
    files: ['**/pages.js'],
    languageOptions: { globals: { document: 'readonly', location: 'readonly', navigator: 'readonly' } },
  },
  { files: ['actions/**/*.cjs'], languageOptions: { globals: { require: 'readonly' } } },
);
