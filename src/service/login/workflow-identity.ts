import type { Proven } from '../../contract/proven.ts';
import { isMapping, type Mapping, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { FindRunCommit } from '../github/github-app.ts';
import { findGithubServer, parseRepositoryAddress } from './repository-address.ts';

/** What a verified identity token says about a workflow run. The names are those of GitHub's claims. */
export interface WorkflowIdentity extends Omit<Proven, 'is_replay' | 'merge_commit'> {
  /** The commit of the ref that started the run; on `pull_request` the merge commit. */
  readonly sha?: string;
}

/** The claims without which a token does not identify a run. */
const necessaryClaims = ['repository', 'repository_id', 'run_id', 'run_attempt', 'event_name', 'ref'] as const;

/** The claims that name something optional. */
const optionalClaims = [
  ...(['repository_owner_id', 'repository_visibility', 'workflow', 'workflow_ref', 'job_workflow_ref'] as const),
  ...(['runner_environment', 'actor', 'actor_id', 'environment', 'sha'] as const),
] as const;

/**
 * Reads the claims of a verified token.
 *
 * @returns what is wrong with the first claim because of which the token does not identify a run, as a predicate
 */
export function readIdentity(claims: Mapping): { readonly identity: WorkflowIdentity } | { readonly fault: string } {
  const names = ['iss', 'sub', ...necessaryClaims];
  const missing = names.find((name) => textAt(claims, name) === undefined);
  if (missing !== undefined) return { fault: `has no claim \`${missing}\`` };
  // Whoever writes the workflow chooses its name. These are refused in evidence, too: not every database can store them.
  const unstorable = [...names, ...optionalClaims].find((name) => !isStorable(textAt(claims, name) ?? ''));
  if (unstorable !== undefined) return { fault: `has NUL or a lone surrogate in the claim \`${unstorable}\`` };
  const text = (name: string): string => textAt(claims, name) ?? '';
  const optional = Object.fromEntries(
    optionalClaims.flatMap((name) => {
      const value = textAt(claims, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const identity = {
    issuer: text('iss'),
    subject: text('sub'),
    repository: text('repository'),
    repository_id: text('repository_id'),
    run_id: text('run_id'),
    run_attempt: text('run_attempt'),
    event_name: text('event_name'),
    ref: text('ref'),
    ...optional,
  };
  return { identity };
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Whether the token names the commit that tests the merge of a pull request, which is not the commit that is judged. */
function hasMergeCommit({ event_name: event, ref }: WorkflowIdentity): boolean {
  return event.startsWith('pull_request') && ref.startsWith('refs/pull/');
}

/** The head commit of a run whose token does not name it; undefined for other runs. */
export async function findMissingCommit(
  org: string,
  identity: WorkflowIdentity,
  find: FindRunCommit | undefined,
): Promise<string | undefined> {
  return hasMergeCommit(identity) ? find?.(org, identity) : undefined;
}

/** What is recorded as proven about a run: the commit of a pull request is recorded as the merge commit that it is. */
export function toProven(identity: WorkflowIdentity, headCommit?: string): Proven {
  const { sha, ...proven } = identity;
  if (sha === undefined) return proven;
  if (!hasMergeCommit(identity)) return { ...proven, sha };
  return { ...proven, merge_commit: sha, ...(headCommit === undefined ? {} : { head_commit: headCommit }) };
}

/** What evidence says about the run that sends it (`user_data.github`) and its repository. */
export interface ClaimedOrigin {
  readonly user_data?: unknown;
  readonly repo_info?: { readonly name: string; readonly url: string; readonly id?: string };
}

/** The fields of `user_data.github` that a token proves. */
const runFields = ['run_id', 'run_attempt', 'event_name', 'workflow', 'actor'] as const;

/**
 * Finds what evidence says of itself and a token disproves: the repository, and the run unless it delivers evidence of
 * an earlier run.
 *
 * @returns the contradicted fields, each with the rule that it breaks
 */
export function findContradictions(
  proof: Proven,
  { user_data: data, repo_info: repository }: ClaimedOrigin,
): readonly (readonly [field: string, rule: string])[] {
  const said = isMapping(data) && isMapping(data['github']) ? data['github'] : {};
  const fields = proof.is_replay === true ? [] : runFields;
  const checks = [
    ...(['repository', ...fields] as const).map(
      (name) => [`user_data.github.${name}`, toText(valueAt(said, name)), proof[name]] as const,
    ),
    ['repo_info.name', repository?.name, proof.repository] as const,
    ['repo_info.id', repository?.id, proof.repository_id] as const,
    ['repo_info.url', ...toComparableAddresses(repository?.url, proof)] as const,
  ];
  return checks.flatMap(([field, value, proved]) =>
    value === undefined || proved === undefined || value.toLowerCase() === proved.toLowerCase()
      ? []
      : [[field, `must be ${proved}, as the identity token says`] as const],
  );
}

/** The text of a value of any type; undefined if there is none. */
function toText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The repository's address as the record says it and as the token proves it; with the servers, if both are known. */
function toComparableAddresses(
  url: string | undefined,
  { issuer, repository }: Proven,
): readonly [said: string | undefined, proved: string] {
  if (url === undefined) return [undefined, repository];
  const { host, path } = parseRepositoryAddress(url);
  const server = findGithubServer(issuer);
  return host === undefined || server === undefined
    ? [path, repository]
    : [`${host}/${path}`, `${server}/${repository}`];
}

/** Why a token was not accepted. A `reason` is a predicate: `has expired`. */
export type TokenRejection =
  /** Nothing proves who sent the token: it is malformed or forged. */
  | { readonly outcome: 'unproven'; readonly reason: string }
  /** The issuer signed the token, which has expired, is for another service, or does not identify a run. */
  | {
      readonly outcome: 'invalid';
      readonly reason: string;
      /** The number of the repository that it was issued for; undefined if it names none. */
      readonly repositoryId: string | undefined;
    }
  /** The issuer's keys cannot be fetched. */
  | {
      readonly outcome: 'issuer unavailable';
      readonly issuer: string;
      /** Why, for the operator's log; the same error until the issuer is asked again. */
      readonly cause: Error;
      /** In seconds. */
      readonly retryAfter: number;
    };

export type TokenVerification =
  | {
      readonly outcome: 'valid';
      readonly identity: WorkflowIdentity;
      /** The claim `jti`, which the issuer gives to no other token. */
      readonly tokenId: string;
    }
  | TokenRejection;

export interface TokenVerifier {
  /** The issuer that a token names, unverified; undefined if it is not a token. */
  readIssuer(token: string): string | undefined;
  /** Whether the issuer was asked for its keys before, for any organization. */
  isKnownIssuer(issuer: string): boolean;
  /** Verifies a token of an issuer that is trusted. */
  verify(token: string, expected: { readonly issuer: string; readonly audience: string }): Promise<TokenVerification>;
}
