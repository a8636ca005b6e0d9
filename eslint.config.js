// The rules of docs/architecture.md are enforced here: which layer may import which layers and packages. A test compares
// the page with this file.
import eslint from '@eslint/js';
import boundaries from 'eslint-plugin-boundaries';
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
  'service-domain': ['contract', 'runtime'],
  'service-network': ['contract', 'runtime'],
  'service-identity': ['contract', 'runtime', 'service-domain', 'service-network'],
  'service-storage': ['contract', 'runtime', 'service-domain', 'service-network'],
  'service-application': ['contract', 'runtime', 'service-domain', 'service-storage'],
  'service-http': ['contract', 'runtime', 'service-domain', 'service-application', 'service-storage'],
  'service-notifications': [
    'contract',
    'runtime',
    'service-domain',
    'service-application',
    'service-storage',
    'service-network',
  ],
  'service-commands': ['contract', 'runtime', 'service-domain', 'service-application', 'service-storage', 'service'],
  service: [
    'contract',
    'runtime',
    'service-domain',
    'service-application',
    'service-storage',
    'service-http',
    'service-notifications',
    'service-network',
    'service-identity',
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
  'js-yaml': ['evidence', 'service-domain'],
  sax: ['evidence'],
  re2js: ['service-domain'],
  fastify: ['service-http'],
  'node:sqlite': ['service-storage'],
  pg: ['service-storage'],
  '@aws-sdk': ['service-storage'],
  jose: ['service-identity'],
  nodemailer: ['service-notifications'],
};

/** Matches an import of a file inside a package. */
const deepImport = {
  regex: '^(?!node:)(?:@[^/]+/)?[^@./][^/]*/.|(?:^|/)node_modules/',
  message:
    'Import the public entry point of the package. If it loads slowly, tools/bundle can replace it in the bundle.',
};

/** Matches the modules of Node.js that are functions; a test compares the names with those of Node.js. */
const functionModules = {
  regex: '^node:(?:assert|assert/strict|events|module|stream|test)$',
  message:
    'This module is a function, and import() of a function has only `default` in dist/. Import its names with a static import; to load them rarely, do so in a file that is itself loaded with import().',
};

/** The folders of the layers. The first pattern that matches a file decides. */
const layers = [
  ...['runtime', 'contract', 'http', 'client', 'evidence', 'operations', 'step'].map((layer) => ({
    type: layer,
    pattern: `src/${layer}/**`,
    partialMatch: false,
  })),
  ...['domain', 'network', 'identity', 'application', 'storage', 'http', 'notifications', 'commands'].map((layer) => ({
    type: `service-${layer}`,
    pattern: `src/service/${layer}/**`,
    partialMatch: false,
  })),
  { type: 'service', pattern: 'src/service', partialMatch: false },
  { type: 'main', pattern: 'src', partialMatch: false },
];

const allowedLayers = Object.entries(layerDependencies).map(([from, to]) => ({
  from: { element: { type: from } },
  allow: { to: { element: { type: [from, ...to] } } },
}));

const forbiddenPackages = Object.entries(packageUsers).map(([name, users]) => ({
  from: { element: { type: layers.map((layer) => layer.type).filter((layer) => !users.includes(layer)) } },
  disallow: { to: { module: { source: [name, `${name}/**`] } } },
  message: `Only ${users.map((user) => `src/${user.replace('-', '/')}`).join(' and ')} may import ${name}.`,
}));

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/', 'build/'] },
  eslint.configs.recommended,
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
      'boundaries/elements': layers,
      'import/resolver': { node: { extensions: ['.ts', '.js'] } },
    },
    rules: {
      'boundaries/no-unknown-files': 'error',
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          checkAllOrigins: true,
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
  { files: ['actions/**/*.cjs'], languageOptions: { globals: { require: 'readonly' } } },
);
