import { availableParallelism } from 'node:os';

/** @type {import('jest').Config} */
export default {
  testEnvironment: '<rootDir>/test/support/native-environment.ts',
  globalSetup: '<rootDir>/test/support/prepare-tests.ts',
  roots: ['<rootDir>/test'],
  // The others have configurations of their own: jest.*.config.js.
  testMatch: ['**/!(*.slow|*.client|*.postgres|*.s3|*.pages|*.cosign|*.go).test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '/@actions/(languageservice|workflow-parser)/.+\\.js$': '<rootDir>/test/support/json-imports.mjs',
    '\\.(ts|[cm]?js)$': '<rootDir>/test/support/transform.ts',
  },
  // Of the packages, those that take long to load, or whose classes the tests compare.
  transformIgnorePatterns: [
    '/node_modules/(?!(@actions/(languageservice|workflow-parser)|fast-check|jose|oidc-provider|pg)/)',
  ],
  // A socket, timer or child process that a test leaves behind is a defect of the test or of the code.
  openHandlesTimeout: 1000,
  testTimeout: 20_000,
  // One more than cores, because many tests wait for processes and servers of their own.
  maxWorkers: availableParallelism() + 1,
  // A worker keeps most of what its test files load. A new one loads and compiles the project again: three seconds.
  workerIdleMemoryLimit: '500MB',
  randomize: true,
};
