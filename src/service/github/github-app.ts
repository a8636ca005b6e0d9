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

/** A run of GitHub Actions, by the claims of its token. */
export interface RunReference {
  readonly repository_id: string;
  readonly run_id: string;
}

/**
 * Finds the head commit of a run, because the token of a pull request names the merge commit. Undefined if no gate has the
 * repository, or GitHub does not answer.
 */
export type FindRunCommit = (org: string, run: RunReference) => Promise<string | undefined>;
