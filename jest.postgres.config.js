import base from './jest.config.js';

/** The tests that need PostgreSQL or S3-compatible object storage, which are started once: `npm run test:postgres`. */
/** @type {import('jest').Config} */
export default {
  ...base,
  globalSetup: '<rootDir>/test/support/start-test-servers.ts',
  globalTeardown: '<rootDir>/test/support/stop-test-servers.ts',
  testMatch: [
    '**/*.postgres.test.ts',
    '**/*.s3.test.ts',
    // These start a service with `startTestService`, here on PostgreSQL.
    '**/test/service/http/**/!(*.slow).test.ts',
    '**/test/service/model.test.ts',
    '**/test/service/idempotency.test.ts',
    '**/test/service/notifications.test.ts',
    '**/test/service/attachments.test.ts',
    '**/test/service/service.test.ts',
  ],
  globals: { serviceDatabase: 'postgres' },
};
