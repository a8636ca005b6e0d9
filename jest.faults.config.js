import base from './jest.config.js';

/** The tests with faults, with many more steps: `npm run test:faults`. */
/** @type {import('jest').Config} */
export default { ...base, testMatch: ['**/exactly-once/*.test.ts'], globals: { faultSteps: 1000 } };
