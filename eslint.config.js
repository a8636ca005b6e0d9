// The linter holds the arrows of docs/architecture.md: which room may import which.
import eslint from '@eslint/js';
import boundaries from 'eslint-plugin-boundaries';
import tseslint from 'typescript-eslint';

/** Every room of the house, and the rooms it may import. */
const arrows = {
  runtime: [],
  contract: [],
  http: ['runtime'],
  client: ['contract', 'http', 'runtime'],
  evidence: ['contract', 'http', 'runtime'],
  operations: ['client', 'contract', 'evidence', 'http', 'runtime'],
  step: ['client', 'contract', 'evidence', 'http', 'operations', 'runtime'],
  main: ['step'],
  'service-domain': ['contract', 'runtime'],
  'service-storage': ['contract', 'runtime', 'service-domain'],
  'service-application': ['contract', 'runtime', 'service-domain', 'service-storage'],
  'service-http': ['contract', 'runtime', 'service-domain', 'service-application', 'service-storage'],
  'service-notifications': ['contract', 'runtime', 'service-domain', 'service-application', 'service-storage'],
  service: [
    'contract',
    'runtime',
    'service-domain',
    'service-application',
    'service-storage',
    'service-http',
    'service-notifications',
  ],
};

/** The packages that only one room may use, because it is the one edge to the outside. */
const edges = {
  undici: ['http'],
  'form-data': ['client'],
  '@actions/core': ['step'],
  '@actions/github': ['evidence'],
  '@actions/exec': ['evidence'],
  'node:child_process': ['evidence'],
  'js-yaml': ['evidence', 'service-domain'],
  re2js: ['service-domain'],
  fastify: ['service', 'service-http'],
  'node:sqlite': ['service-storage'],
  nodemailer: ['service-notifications'],
};

/** A file within a package. */
const deepImport = {
  regex: '^(?!node:)(?:@[^/]+/)?[^@./][^/]*/.|(?:^|/)node_modules/',
  message: 'Import packages by their public entry points; tools/bundle replaces what is slow to load.',
};

const rooms = [
  ...['runtime', 'contract', 'http', 'client', 'evidence', 'operations', 'step'].map((room) => ({
    type: room,
    pattern: `src/${room}/**`,
    partialMatch: false,
  })),

  ...['domain', 'application', 'storage', 'http', 'notifications'].map((room) => ({
    type: `service-${room}`,
    pattern: `src/service/${room}/**`,
    partialMatch: false,
  })),
  { type: 'service', pattern: 'src/service', partialMatch: false },
  { type: 'main', pattern: 'src', partialMatch: false },
];

const allowed = Object.entries(arrows).map(([from, to]) => ({
  from: { element: { type: from } },
  allow: { to: { element: { type: [from, ...to] } } },
}));

const closed = Object.entries(edges).map(([name, open]) => ({
  from: { element: { type: rooms.map((room) => room.type).filter((room) => !open.includes(room)) } },
  disallow: { to: { module: { source: [name, `${name}/**`] } } },
  message: `${name} is an edge to the outside; only src/${open.join(' and src/')} may use it`,
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
      'max-lines': ['error', { max: 350, skipBlankLines: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { boundaries },
    settings: {
      'boundaries/elements': rooms,
      'import/resolver': { node: { extensions: ['.ts', '.js'] } },
    },
    rules: {
      'boundaries/no-unknown-files': 'error',
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          checkAllOrigins: true,
          policies: [{ allow: { to: { module: { origin: ['external', 'core'] } } } }, ...allowed, ...closed],
        },
      ],
      'no-restricted-imports': ['error', { patterns: [deepImport] }],
      'no-restricted-syntax': [
        'error',
        {
          selector: `ImportExpression > Literal[value=/${deepImport.regex.replaceAll('/', '\\/')}/]`,
          message: deepImport.message,
        },
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
);
