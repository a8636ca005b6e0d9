import { createPagePaths, type PagePaths } from './page-paths.ts';

/** The URLs that the service includes in responses and messages. All of them can be requested. */
export interface Links {
  /** The URL of the service, without `/api/v2` and without a trailing slash; it is the audience of identity tokens. */
  origin(): string;
  /** The base URL of the API; ends in `/api/v2`. */
  base(): string;
  readonly pages: PagePaths;
  /** A report of an artifact in the API (operation 10). */
  artifactApi(org: string, flow: string, fingerprint: string, id: string): string;
  /** A snapshot in the API (operation 12). */
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
  const answer = (...segments: readonly string[]): string =>
    [origin() + prefix, ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  return {
    origin,
    base: () => origin() + prefix,
    pages: createPagePaths(origin),
    artifactApi: (org, flow, fingerprint, id) =>
      `${answer('artifacts', org, flow, 'fingerprint', fingerprint)}?attestation_id=${id}`,
    snapshotAnswer: (org, environment, index) => `${answer('snapshots', org, environment)}?interval=${index}..${index}`,
    attestationList: (org, flow, query) => {
      const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
      return `${answer('attestations', org, flow)}?${parameters.join('&')}`;
    },
  };
}
