import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/prepare-tests.ts',
  roots: ['<rootDir>/test'],
  // The others have configurations of their own: jest.*.config.js.
  testMatch: ['**/!(*.slow|*.client|*.postgres|*.s3|*.pages|*.cosign|*.go).test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
        module: { type: 'es6' },
        // In a file of their own. Inline, they would triple the code, which every test file loads anew.
        sourceMaps: true,
      },
    ],
    '/@actions/(languageservice|workflow-parser)/.+\\.js$': '<rootDir>/test/support/json-imports.mjs',
  },
  transformIgnorePatterns: ['/node_modules/(?!@actions/(languageservice|workflow-parser)/)'],
  // A socket, timer or child process that a test leaves behind is a defect of the test or of the code.
  openHandlesTimeout: 1000,
  testTimeout: 20_000,
  // One more than cores, because many tests wait for processes and servers of their own.
  maxWorkers: availableParallelism() + 1,
  // A worker keeps most of what its test files load, in the end 2 GB. A new one starts in half a second.
  workerIdleMemoryLimit: '300MB',
  randomize: true,
  // For `npm run coverage`. What runs only in the built action or in a process of its own is not counted.
  collectCoverageFrom: ['src/**/*.ts'],
  coverageDirectory: 'build/coverage',
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'html'],
  coverageThreshold: { global: { statements: 99, branches: 95, functions: 98.5 } },
};
