import type { KeyObject } from 'node:crypto';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { parseSigningKeys } from '../log/note.ts';
import { OptionError } from './command-line.ts';
import { readSecret } from './parse-github-app.ts';

export const signingKeyVariable = 'COMPLIANCE_SERVICE_SIGNING_KEY';

/**
 * Reads the keys that sign transparency logs from the environment or a file; undefined if none is given.
 *
 * @throws OptionError; it never contains a secret
 */
export function parseSigningKeySetting(environment: EnvironmentVariables): readonly KeyObject[] | undefined {
  // Some platforms cannot keep line breaks in a variable.
  const pem = readSecret(signingKeyVariable, environment)?.replaceAll(String.raw`\n`, '\n');
  if (pem === undefined) return undefined;
  const keys = parseSigningKeys(pem);
  if (keys !== undefined) return keys;
  throw new OptionError(
    `${signingKeyVariable}, or its file, must be an Ed25519 private key in the form PEM, such as from: openssl genpkey -algorithm ed25519`,
  );
}
