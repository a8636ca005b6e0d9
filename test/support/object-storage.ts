import { randomUUID } from 'node:crypto';
import { it } from '@jest/globals';

/** For tests that call `testAttachments`, in files with other tests. */
export const itWithObjectStorage = (process.env['COMPLIANCE_TEST_S3'] ?? '') === '' ? it.skip : it;

/**
 * Returns a place in the object storage that all test files share, as the service takes it: `s3://BUCKET/PREFIX?…`.
 * Nobody else uses it. The credentials are in the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. A test that
 * stops its server starts one of its own with `startObjectStorage`.
 *
 * @throws Error if the tests are not run with `npm run test:real`
 */
export function testAttachments(): string {
  const shared = process.env['COMPLIANCE_TEST_S3'];
  if (shared === undefined || shared === '')
    throw new Error('There is no object storage for this test: run it with `npm run test:real`.');
  const [place = '', query = ''] = shared.split('?', 2);
  return `${place.replace(/\/$/u, '')}/test-${randomUUID()}${query === '' ? '' : `?${query}`}`;
}
