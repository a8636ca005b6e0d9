import { evidenceAnchor } from '../../contract/reason.ts';
import type { ReasonSource } from '../attestation/reasons.ts';

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
  /** @param about the subject of a reason, to whose row the link leads */
  trail(org: string, flow: string, trail: string, about?: string): string;
  /** An artifact; without an id its latest report to the flow. */
  artifact(org: string, flow: string, fingerprint: string, id?: string): string;
  attestation(org: string, flow: string, trail: string, id: string): string;
  /** The file that came with an attestation. */
  attachment(org: string, flow: string, trail: string, id: string): string;
  statement(org: string, flow: string, trail: string, id: string): string;
  /** The page of what a reason is about; undefined if it has none. */
  reason(org: string, about: string, source: ReasonSource | undefined): string | undefined;
  environments(org: string): string;
  environment(org: string, environment: string): string;
  snapshot(org: string, environment: string, index: number): string;
  /** The last snapshot of a day. */
  onDay(org: string, environment: string): string;
  /** Compares two snapshots, which can be of different environments. */
  comparison(org: string): string;
  policies(org: string): string;
  policy(org: string, policy: string): string;
  search(org: string): string;
  administration(org: string): string;
  auditLog(org: string): string;
}

/** Creates the addresses of pages. `root` returns the common beginning of all addresses, without a trailing slash. */
export function createPagePaths(root: () => string): PagePaths {
  const path = (...segments: readonly string[]): string =>
    [root(), ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  const trail = (org: string, flow: string, name: string, about?: string): string =>
    path(org, 'flows', flow, 'trails', name) + (about === undefined ? '' : `#${evidenceAnchor(about)}`);
  const attestation = (org: string, flow: string, trailName: string, id: string): string =>
    path(org, 'flows', flow, 'trails', trailName, 'attestations', id);
  const environment = (org: string, name: string): string => path(org, 'environments', name);
  return {
    home: () => `${root()}/`,
    signIn: () => path('-', 'sign-in'),
    signOut: () => path('-', 'sign-out'),
    sessions: () => path('-', 'sessions'),
    asset: (name) => path('-', name),
    organization: (org) => path(org),
    flows: (org) => path(org, 'flows'),
    flow: (org, flow) => path(org, 'flows', flow),
    trail,
    artifact: (org, flow, fingerprint, id) =>
      path(org, 'flows', flow, 'artifacts', fingerprint) + (id === undefined ? '' : `?artifact_id=${id}`),
    attestation,
    attachment: (org, flow, trail, id) => `${attestation(org, flow, trail, id)}/attachment`,
    statement: (org, flow, trail, id) => `${attestation(org, flow, trail, id)}/statement`,
    reason: (org, about, { evidence, member } = {}) => {
      if (evidence === undefined) return member === undefined ? undefined : environment(org, member);
      const { flow, trail: name, attestation: id } = evidence;
      return id === undefined ? trail(org, flow, name, about) : attestation(org, flow, name, id);
    },
    environments: (org) => path(org, 'environments'),
    environment,
    snapshot: (org, name, index) => `${environment(org, name)}/snapshots/${index}`,
    onDay: (org, name) => `${environment(org, name)}/on-day`,
    comparison: (org) => path(org, 'compare'),
    policies: (org) => path(org, 'policies'),
    policy: (org, policy) => path(org, 'policies', policy),
    search: (org) => path(org, 'search'),
    administration: (org) => path(org, 'administration'),
    auditLog: (org) => path(org, 'administration', 'audit-log'),
  };
}
