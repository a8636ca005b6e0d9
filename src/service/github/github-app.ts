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
