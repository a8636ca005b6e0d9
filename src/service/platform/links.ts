import { createPagePaths } from './page-paths.ts';
import type { ReasonSource } from '../attestation/reasons.ts';

/** The URLs that the service includes in responses and messages. All of them can be requested. */
export interface Links {
  /** The URL of the service, without `/api/v2` and without a trailing slash; it is the audience of identity tokens. */
  origin(): string;
  /** The base URL of the API; ends in `/api/v2`. */
  base(): string;
  /** The page of one report of an artifact. */
  artifactPage(org: string, flow: string, fingerprint: string, id: string): string;
  /** The same in the API (operation 10). */
  artifactApi(org: string, flow: string, fingerprint: string, id: string): string;
  trailPage(org: string, flow: string, trail: string): string;
  attestationPage(org: string, flow: string, trail: string, id: string): string;
  /** The page of what a reason is about; undefined if it has none. */
  reasonPage(org: string, source: ReasonSource | undefined): string | undefined;
  /** The file that came with an attestation. */
  attachment(org: string, flow: string, trail: string, id: string): string;
  snapshotPage(org: string, environment: string, index: number): string;
  /** The same in the API (operation 12). */
  snapshotAnswer(org: string, environment: string, index: number): string;
  /** A page of the list of attestations (operation 9). */
  attestationList(org: string, flow: string, query: Readonly<Record<string, number>>): string;
}

/**
 * Creates the links of a service.
 *
 * @param origin returns the public URL of the service, without a trailing slash. It is called for every link, because the
 *   port of a service may be chosen only when it starts.
 */
export function createLinks(origin: () => string, prefix: string): Links {
  const pages = createPagePaths(origin);
  const answer = (...segments: readonly string[]): string =>
    [origin() + prefix, ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  return {
    origin,
    base: () => origin() + prefix,
    artifactPage: (org, flow, fingerprint, id) => pages.artifact(org, flow, fingerprint, id),
    artifactApi: (org, flow, fingerprint, id) =>
      `${answer('artifacts', org, flow, 'fingerprint', fingerprint)}?attestation_id=${id}`,
    trailPage: (org, flow, trail) => pages.trail(org, flow, trail),
    attestationPage: (org, flow, trail, id) => pages.attestation(org, flow, trail, id),
    reasonPage: (org, source) => pages.reason(org, source),
    attachment: (org, flow, trail, id) => pages.attachment(org, flow, trail, id),
    snapshotPage: (org, environment, index) => pages.snapshot(org, environment, index),
    snapshotAnswer: (org, environment, index) => `${answer('snapshots', org, environment)}?interval=${index}..${index}`,
    attestationList: (org, flow, query) => {
      const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
      return `${answer('attestations', org, flow)}?${parameters.join('&')}`;
    },
  };
}
