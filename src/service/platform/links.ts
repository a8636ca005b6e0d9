import { PagePaths } from './page-paths.ts';

/** The URLs that the service includes in responses and messages. All of them can be requested. */
export class Links {
  /** The URL of the service, without `/api/v2` and without a trailing slash; it is the audience of identity tokens. */
  readonly origin: () => string;
  /** The base URL of the API; ends in `/api/v2`. */
  readonly base: () => string;
  readonly pages: PagePaths;

  /**
   * @param origin is called for every link, because the port of a service may be chosen only when it starts
   * @param prefix `/api/v2`
   */
  constructor(origin: () => string, prefix: string) {
    this.origin = origin;
    this.base = () => origin() + prefix;
    this.pages = new PagePaths(origin);
  }

  #answer(...segments: readonly string[]): string {
    return [this.base(), ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  }

  /** A report of an artifact in the API (operation 10). */
  readonly artifactApi = (org: string, flow: string, fingerprint: string, id: string): string =>
    `${this.#answer('artifacts', org, flow, 'fingerprint', fingerprint)}?attestation_id=${id}`;
  /** A snapshot in the API, with what runs in it. */
  readonly snapshotApi = (org: string, environment: string, index: number): string =>
    this.#answer('snapshots', org, environment, String(index));
  /** A page of the list of attestations (operation 9). */
  readonly attestationList = (org: string, flow: string, query: Readonly<Record<string, number>>): string => {
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${value}`);
    return `${this.#answer('attestations', org, flow)}?${parameters.join('&')}`;
  };
}
