import { execFile } from 'node:child_process';
import { fencesOf } from './markdown.ts';
import { readText } from './repository.ts';

/** What a reader of the documentation puts in place of the names in it, for a job of acme/widgets (`jobEnvironment`). */
export interface LoginRuleReader {
  readonly baseUrl: string;
  /** A key of an admin. */
  readonly apiKey: string;
  /** The issuer of the tokens, which is not that of github.com. */
  readonly issuer: string;
  /** Default: as documented. */
  readonly flows?: readonly string[] | undefined;
  /** An event of all rules in addition to those that are documented. */
  readonly event?: string | undefined;
}

/**
 * Declares login rules by the commands that a page shows in one block, as its reader would.
 *
 * @throws Error with the output of the command if it fails
 */
export async function declareDocumentedLoginRules(page: string, reader: LoginRuleReader): Promise<void> {
  const commands = fencesOf(readText(page)).filter(({ text }) => text.includes('/login-rules/'));
  const [command] = commands;
  if (command === undefined || commands.length > 1) throw new Error(`${page} does not show one block with login rules`);
  const { baseUrl, apiKey, issuer, flows, event } = reader;
  const changes: readonly (readonly [string, string])[] = [
    ['"acme/web"', '"acme/widgets"'],
    ['"123456"', '"99001"'],
    ['"repository": ', `"issuer": "${issuer}", "repository": `],
    ...(flows === undefined ? [] : [['"flows": ["web"]', `"flows": ${JSON.stringify(flows)}`] as const]),
    ...(event === undefined ? [] : [['"events": [', `"events": ["${event}", `] as const]),
  ];
  const script = changes.reduce((text, [documented, own]) => {
    if (!text.includes(documented)) throw new Error(`the login rule in ${page} has no ${documented}`);
    return text.replaceAll(documented, own);
  }, command.text);
  const environment = { COMPLIANCE_BASE_URL: baseUrl, COMPLIANCE_API_TOKEN: apiKey };
  await new Promise<void>((resolve, reject) => {
    execFile('bash', ['-e', '-c', script], { env: { ...process.env, ...environment } }, (error, stdout, stderr) => {
      if (error === null) resolve();
      else reject(new Error(`${script}${stdout}${stderr}`));
    });
  });
}
