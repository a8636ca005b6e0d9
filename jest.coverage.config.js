import base from './jest.config.js';

/** All tests, with the sources in Jest, which measures only what it loads itself: `npm run coverage`. */
/** @type {import('jest').Config} */
export default {
  ...base,
  testEnvironment: 'node',
  // What runs only in the built action, in a process of its own or with PostgreSQL is not counted.
  testPathIgnorePatterns: ['/test/bench/', '/test/dist/', '/test/docs/', '/test/tools/'],
  transform: { '\\.ts$': '<rootDir>/test/support/strip-types.ts' },
  collectCoverage: true,
  collectCoverageFrom: ['src/**/*.ts', '!src/service/platform/database/postgres/*.ts'],
  coverageDirectory: 'build/coverage',
  coverageProvider: 'v8',
  coverageReporters: ['text-summary', 'html'],
  coverageThreshold: { global: { statements: 99, branches: 95, functions: 98.5 } },
};
