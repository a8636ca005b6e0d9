import { spawnSync } from 'node:child_process';
import { logVerifier } from './log-verifier.ts';

// Builds the verifier for `npm run test:log`. Go compares its libraries with `go.sum`.

const { error, status } = spawnSync('go', ['build', '-o', logVerifier, '.'], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
});
if (error !== undefined)
  throw new Error('npm run test:log needs Go 1.24 or later: https://go.dev/dl', { cause: error });
if (status !== 0) throw new Error('The verifier could not be built with Go. See the lines above.');
