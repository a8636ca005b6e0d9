import base from './jest.config.js';

/** The tests with heavy parts of a real installation, object storage, a browser and cosign: `npm run test:real`. */
/** @type {import('jest').Config} */
export default {
  ...base,
  globalSetup: '<rootDir>/test/support/start-test-servers.ts',
  globalTeardown: '<rootDir>/test/support/stop-test-servers.ts',
  testMatch: ['**/*.s3.test.ts', '**/copy-folder.postgres.test.ts', '**/*.pages.test.ts', '**/*.cosign.test.ts'],
  globals: { objectStorage: true },
  // A browser starts slowly on a machine that is busy.
  testTimeout: 120_000,
};
