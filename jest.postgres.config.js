import base from './jest.config.js';
import { isClientInstalled } from './tools/public-client/public-client.ts';

/** The tests that need PostgreSQL, which is started once: `npm run test:postgres`. */
/** @type {import('jest').Config} */
export default {
  ...base,
  globalSetup: '<rootDir>/test/support/start-test-servers.ts',
  globalTeardown: '<rootDir>/test/support/stop-test-servers.ts',
  testMatch: [
    '**/*.postgres.test.ts',
    // These start a service with `startTestService`, here on PostgreSQL. Left out are tests of what does not depend on the
    // storage, and of the data folder: `attachments.test.ts`, `service.test.ts`, `restart.test.ts`.
    '**/test/service/*/*-routes.test.ts',
    '**/test/service/platform/server/authentication/authentication.test.ts',
    '**/test/service/platform/server/bodies/multipart.test.ts',
    '**/test/service/platform/server/{bounds,hostile}.test.ts',
    '**/test/service/{idempotency,model,namesakes,notifications,page-routes}.test.ts',
    // The same pipeline as with SQLite must get the same answers.
    ...(isClientInstalled() ? ['**/test/public-client/pipeline.client.test.ts'] : []),
  ],
  globals: { serviceDatabase: 'postgres', faultSteps: 15, modelRuns: 15 },
};
