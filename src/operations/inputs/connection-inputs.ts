import { parseBaseUrl } from '../../client/base-url.ts';
import { orgName } from '../../contract/names.ts';
import { type Input, optional, required, withDefault, withFallback } from './input.ts';
import { duration, flag, integer, oneOf, schemaText, secret, withoutSecrets } from './input-types.ts';

/** The URL of the service; `/api/v2` is added if it is missing. */
export const baseUrl: Input<URL> = {
  name: 'base-url',
  fallback: true,
  parse(value) {
    const parsed = parseBaseUrl(value);
    if (parsed.problem === undefined) return { value: parsed.url };
    return {
      problem: parsed.problem,
      remedy: 'Use the URL that the operators of your service publish.',
      part: withoutSecrets(value),
    };
  },
};

/** An API key of the service. Without one, the step logs in with an identity token if the job can get one. */
export const apiToken = withFallback(secret('api-token'));

export const org = withFallback(
  schemaText(
    'org',
    orgName,
    'the name of an organization: a letter or digit, then letters, digits, `.`, `-`, `_` and `~`',
    'Use the name that the URLs of your service show.',
  ),
);

/** For how long requests are repeated if neither `retries` nor `retry-for` is given, in seconds. */
export const defaultRetryForSeconds = 60;

/** How to reach the service; every operation has these inputs. */
export const connectionInputs = {
  baseUrl: required(baseUrl),
  /** Undefined if the step logs in with an identity token instead. */
  apiToken: optional(apiToken),
  authMethod: withDefault(withFallback(oneOf('auth-method', ['bearer', 'basic'])), 'bearer'),
  org: required(org),
  timeoutSeconds: withDefault(withFallback(integer('timeout', 1, 3600, 'seconds')), 30),
  retries: optional(withFallback(integer('retries', 0, 20, 'retries'))),
  // At most as long as a job on GitHub's runners, as for `wait`.
  retryForSeconds: optional(withFallback(duration('retry-for', 6))),
  fileParts: withDefault(withFallback(oneOf('file-parts', ['indexed', 'plain'])), 'indexed'),
  dryRun: withDefault(withFallback(flag('dry-run')), false),
} as const;
