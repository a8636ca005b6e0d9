import { evidenceAnchor } from '../../contract/reason.ts';
import type { ReasonSource } from '../attestation/reasons.ts';

/** The first segments of all other addresses: the pages of organizations with these names could not be opened. */
const otherAddresses: readonly string[] = ['admin', 'api', 'log', 'ready'];

/** Why no organization of this name can be created, as a predicate; undefined if it can. */
export function findNameCollision(org: string): string | undefined {
  if (!otherAddresses.includes(org)) return undefined;
  return 'is reserved, because addresses of the service begin with it; choose another name';
}

/** The addresses of the pages. The first segment is an organization or `-`, which no organization can be called. */
export class PagePaths {
  readonly #root: () => string;

  /** @param root returns the common beginning of all addresses, without a trailing slash */
  constructor(root: () => string) {
    this.#root = root;
  }

  #path(...segments: readonly string[]): string {
    return [this.#root(), ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  }

  readonly home = (): string => `${this.#root()}/`;
  readonly signIn = (): string => this.#path('-', 'sign-in');
  readonly signOut = (): string => this.#path('-', 'sign-out');
  /** The sessions of the key that is signed in. */
  readonly sessions = (): string => this.#path('-', 'sessions');
  readonly asset = (name: string): string => this.#path('-', name);
  readonly organization = (org: string): string => this.#path(org);
  readonly flows = (org: string): string => this.#path(org, 'flows');
  readonly flow = (org: string, flow: string): string => this.#path(org, 'flows', flow);
  /** @param about the subject of a reason, to whose row the link leads */
  readonly trail = (org: string, flow: string, trail: string, about?: string): string =>
    this.#path(org, 'flows', flow, 'trails', trail) + (about === undefined ? '' : `#${evidenceAnchor(about)}`);
  /** An artifact; without an id its latest report to the flow. */
  readonly artifact = (org: string, flow: string, fingerprint: string, id?: string): string =>
    this.#path(org, 'flows', flow, 'artifacts', fingerprint) + (id === undefined ? '' : `?artifact_id=${id}`);
  readonly attestation = (org: string, flow: string, trail: string, id: string): string =>
    this.#path(org, 'flows', flow, 'trails', trail, 'attestations', id);
  readonly attachment = (org: string, flow: string, trail: string, id: string): string =>
    `${this.attestation(org, flow, trail, id)}/attachment`;
  readonly statement = (org: string, flow: string, trail: string, id: string): string =>
    `${this.attestation(org, flow, trail, id)}/statement`;
  /** The page of what a reason is about; undefined if it has none. */
  readonly reason = (org: string, about: string, { evidence, member }: ReasonSource = {}): string | undefined => {
    if (evidence === undefined) return member === undefined ? undefined : this.environment(org, member);
    const { flow, trail, attestation: id, row = about } = evidence;
    return id === undefined ? this.trail(org, flow, trail, row) : this.attestation(org, flow, trail, id);
  };
  readonly environments = (org: string): string => this.#path(org, 'environments');
  readonly environment = (org: string, name: string): string => this.#path(org, 'environments', name);
  readonly snapshot = (org: string, environment: string, index: number): string =>
    `${this.environment(org, environment)}/snapshots/${index}`;
  /** The last snapshot of a day. */
  readonly onDay = (org: string, environment: string): string => `${this.environment(org, environment)}/on-day`;
  /** Compares two snapshots, which can be of different environments. */
  readonly comparison = (org: string): string => this.#path(org, 'compare');
  readonly policies = (org: string): string => this.#path(org, 'policies');
  readonly policy = (org: string, policy: string): string => this.#path(org, 'policies', policy);
  readonly search = (org: string): string => this.#path(org, 'search');
  readonly administration = (org: string): string => this.#path(org, 'administration');
  readonly auditLog = (org: string): string => this.#path(org, 'administration', 'audit-log');
}
