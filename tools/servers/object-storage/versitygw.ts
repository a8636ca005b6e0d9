import { join } from 'node:path';
import type { LockedGoProgram } from '../../locked-go.ts';

/** The S3 server. */
export const versitygw: LockedGoProgram = {
  name: 'versitygw',
  package: 'github.com/versity/versitygw/cmd/versitygw',
  locked: join(import.meta.dirname, 'locked'),
  program: join(import.meta.dirname, '..', '..', '..', 'build', 'versitygw', 'versitygw'),
  noGo:
    'The tests need S3-compatible object storage, and build a server for it with Go, which is not in PATH. ' +
    'Install Go (https://go.dev/dl), or set COMPLIANCE_TEST_S3 to s3://BUCKET/PREFIX?endpoint=URL&region=REGION, and ' +
    'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
};
