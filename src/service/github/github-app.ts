import { findGithubServer } from '../login/repository-address.ts';

/** The operator's GitHub App, by which the service answers GitHub. */
export interface GithubApp {
  readonly appId: number;
  /** The base address of GitHub's API, without a trailing slash: `https://api.github.com`. */
  readonly apiUrl: string;
  /** In the form PEM. */
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** The organization that each installation of the app belongs to, by its number at GitHub. */
  readonly installations: ReadonlyMap<number, string>;
}

/**
 * Finds the head commit of a run, because the token of a pull request names the merge commit. Undefined if no gate has the
 * repository, the run is of another server than the app, or GitHub does not answer.
 */
export type FindRunCommit = (
  org: string,
  run: { readonly issuer: string; readonly repository_id: string; readonly run_id: string },
) => Promise<string | undefined>;

/** Whether runs with tokens of an issuer may be of the app's server: numbers of repositories are those of one server. */
export function mayBeOfServer({ apiUrl }: Pick<GithubApp, 'apiUrl'>, issuer: string): boolean {
  const server = findGithubServer(issuer);
  return server === undefined || server === new URL(apiUrl).hostname.replace(/^api\./u, '');
}
