import base from './jest.config.js';

/** The slow tests, and the tests with faults and against a model with many more steps: `npm run test:slow`. */
/** @type {import('jest').Config} */
export default {
  ...base,
  testMatch: ['**/*.slow.test.ts', '**/exactly-once/*.test.ts', '**/service/model.test.ts'],
  // Each run has another seed. For more: `npm run test:slow -- --globals '{"faultSteps":1000}'`.
  globals: { faultSteps: 400, modelRuns: 60 },
};
