import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { violations } from '../../contract/check.ts';
import { orgName } from '../../contract/names.ts';
import type { EnvironmentVariables } from '../../runtime/dependencies.ts';
import { errorMessage } from '../../runtime/failure.ts';
import { isUnencryptedUrl } from '../../runtime/unencrypted-url.ts';
import { findWeakness } from '../account/administration-key.ts';
import type { GithubApp } from '../github/github-app.ts';
import { OptionError } from './command-line.ts';
import { toFileError } from './file-error.ts';

const keyVariable = 'COMPLIANCE_SERVICE_GITHUB_PRIVATE_KEY';
const secretVariable = 'COMPLIANCE_SERVICE_GITHUB_WEBHOOK_SECRET';

export interface GithubFlags {
  readonly id: string | undefined;
  readonly apiUrl: string | undefined;
  readonly installations: string | undefined;
}

/**
 * Reads the settings of the GitHub App, with its secrets from the environment or from files.
 *
 * @returns undefined if there is none
 * @throws OptionError if a setting is missing or invalid; it never contains a secret
 */
export function parseGithubApp(
  { id, apiUrl = 'https://api.github.com', installations = '' }: GithubFlags,
  environment: EnvironmentVariables,
): GithubApp | undefined {
  const [privateKey, webhookSecret] = [readSecret(keyVariable, environment), readSecret(secretVariable, environment)];
  if (id === undefined) {
    const isUnset = privateKey === undefined && webhookSecret === undefined && installations === '';
    if (isUnset) return undefined;
    throw new OptionError(
      'the settings of a GitHub App require --github-app-id: set it to the id on the page of the app',
    );
  }
  if (!/^[1-9]\d{0,14}$/u.test(id)) throw new OptionError(`--github-app-id ${id} must be the number of the app`);
  if (privateKey === undefined || webhookSecret === undefined) {
    const missing = privateKey === undefined ? keyVariable : secretVariable;
    throw new OptionError(
      `--github-app-id requires ${missing}, or ${missing}_FILE with the name of a file that has it`,
    );
  }
  return {
    appId: Number(id),
    apiUrl: parseApiUrl(apiUrl),
    privateKey: parsePrivateKey(privateKey),
    webhookSecret: parseWebhookSecret(webhookSecret),
    installations: new Map(installations === '' ? [] : installations.split(',').map(parseInstallation)),
  };
}

/**
 * Reads a secret from a variable, or from the file that the variable with the suffix _FILE names. Empty values count as
 * absent.
 *
 * @throws OptionError if both are set, or the file cannot be read
 */
export function readSecret(variable: string, environment: EnvironmentVariables): string | undefined {
  const [value = '', file = ''] = [environment[variable], environment[`${variable}_FILE`]];
  if (value !== '' && file !== '') throw new OptionError(`${variable} and ${variable}_FILE must not be set together`);
  if (file === '') return value === '' ? undefined : value;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new OptionError(`the file in ${variable}_FILE cannot be read: ${errorMessage(toFileError(error, file))}`, {
      cause: error,
    });
  }
}

function parseApiUrl(text: string): string {
  const url = URL.parse(text);
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol);
  if (!isWeb || url.username !== '' || url.password !== '' || /[?#]/u.test(text)) {
    throw new OptionError(
      '--github-api-url must be an http(s) URL without credentials, query or fragment, such as https://github.example.com/api/v3',
    );
  }
  if (isUnencryptedUrl(url)) throw new OptionError(`--github-api-url ${text} is not encrypted; use https`);
  return url.href.replace(/\/+$/u, '');
}

function parsePrivateKey(given: string): string {
  // Some platforms cannot keep line breaks in a variable.
  const pem = given.replaceAll(String.raw`\n`, '\n');
  try {
    if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return pem;
  } catch {
    // Its error might show parts of the key.
  }
  throw new OptionError(
    `${keyVariable}, or its file, must be the private key of the app in the form PEM, as GitHub creates it`,
  );
}

function parseWebhookSecret(secret: string): string {
  const weakness = findWeakness(secret);
  if (weakness === undefined) return secret;
  throw new OptionError(
    `${secretVariable} ${weakness}; generate one with: openssl rand -hex 32, and set it in the app, too`,
  );
}

function parseInstallation(part: string): readonly [installation: number, org: string] {
  const [org = '', number = '', ...rest] = part.split('=');
  const isValid = violations(orgName, org).length === 0 && /^[1-9]\d{0,14}$/u.test(number) && rest.length === 0;
  if (isValid) return [Number(number), org];
  throw new OptionError(`--github-installation ${part} must be an organization and a number, such as acme=12345678`);
}
