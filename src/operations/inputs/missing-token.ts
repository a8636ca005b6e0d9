import { oneOf } from './parse.ts';

/** What the step does where `api-token` is missing or empty, as it is on pull requests from forks. */
export const onMissingToken = oneOf('on-missing-token', ['fail', 'skip']);
