/** The addresses of the pages. The first segment is an organization or `-`, which no organization can be called. */
export interface PagePaths {
  home(): string;
  signIn(): string;
  signOut(): string;
  /** The sessions of the key that is signed in. */
  sessions(): string;
  /** A file that belongs to the pages. */
  asset(name: string): string;
  organization(org: string): string;
  flows(org: string): string;
  flow(org: string, flow: string): string;
  trail(org: string, flow: string, trail: string): string;
  /** An artifact; without an id its latest report to the flow. */
  artifact(org: string, flow: string, fingerprint: string, id?: string): string;
  attestation(org: string, flow: string, trail: string, id: string): string;
  /** The file that came with an attestation. */
  attachment(org: string, flow: string, trail: string, id: string): string;
  environments(org: string): string;
  environment(org: string, environment: string): string;
  snapshot(org: string, environment: string, index: number): string;
  /** Compares two snapshots, which can be of different environments. */
  comparison(org: string): string;
  policies(org: string): string;
  policy(org: string, policy: string): string;
  search(org: string): string;
  administration(org: string): string;
}

/** Creates the addresses of pages. `root` returns what each begins with, without a trailing slash. */
export function createPagePaths(root: () => string): PagePaths {
  const path = (...segments: readonly string[]): string =>
    [root(), ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  const attestation = (org: string, flow: string, trail: string, id: string): string =>
    path(org, 'flows', flow, 'trails', trail, 'attestations', id);
  return {
    home: () => `${root()}/`,
    signIn: () => path('-', 'sign-in'),
    signOut: () => path('-', 'sign-out'),
    sessions: () => path('-', 'sessions'),
    asset: (name) => path('-', name),
    organization: (org) => path(org),
    flows: (org) => path(org, 'flows'),
    flow: (org, flow) => path(org, 'flows', flow),
    trail: (org, flow, trail) => path(org, 'flows', flow, 'trails', trail),
    artifact: (org, flow, fingerprint, id) =>
      path(org, 'flows', flow, 'artifacts', fingerprint) + (id === undefined ? '' : `?artifact_id=${id}`),
    attestation,
    attachment: (org, flow, trail, id) => `${attestation(org, flow, trail, id)}/attachment`,
    environments: (org) => path(org, 'environments'),
    environment: (org, environment) => path(org, 'environments', environment),
    snapshot: (org, environment, index) => path(org, 'environments', environment, 'snapshots', String(index)),
    comparison: (org) => path(org, 'compare'),
    policies: (org) => path(org, 'policies'),
    policy: (org, policy) => path(org, 'policies', policy),
    search: (org) => path(org, 'search'),
    administration: (org) => path(org, 'administration'),
  };
}
