import { join } from 'node:path';
import type { LockedGoProgram } from '../locked-go.ts';

/** The program that verifies Sigstore bundles. */
export const cosign: LockedGoProgram = {
  name: 'cosign',
  package: 'github.com/sigstore/cosign/v3/cmd/cosign',
  locked: join(import.meta.dirname, 'locked'),
  program: join(import.meta.dirname, '..', '..', 'build', 'cosign', 'cosign'),
  noGo: 'The tests verify statements with cosign, and build it with Go, which is not in PATH: https://go.dev/dl.',
};
