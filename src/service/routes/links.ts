/** The addresses that the service hands out; all work when they are followed. */
export interface Links {
  /** The page of an artifact, as one report of it was made. */
  artifactPage(org: string, flow: string, fingerprint: string, id: string): string;
  /** The same as an answer of operation 10. */
  artifactAnswer(org: string, flow: string, fingerprint: string, id: string): string;
  trailPage(org: string, flow: string, trail: string): string;
  attestationPage(org: string, flow: string, trail: string, id: string): string;
  /** The file that came with an attestation. */
  attachment(org: string, flow: string, trail: string, id: string): string;
}

/**
 * The links of a service.
 *
 * @param origin where browsers reach it, without a slash at the end; asked when a link is made, because a service that
 *   chooses a free port knows it only after it has started.
 */
export function linksOf(origin: () => string, prefix: string): Links {
  const address = (...segments: readonly string[]): string =>
    [origin(), ...segments.map((segment) => encodeURIComponent(segment))].join('/');
  const trailPage = (org: string, flow: string, trail: string): string => address(org, 'flows', flow, 'trails', trail);
  const attestationPage = (org: string, flow: string, trail: string, id: string): string =>
    address(org, 'flows', flow, 'trails', trail, 'attestations', id);
  return {
    artifactPage: (org, flow, fingerprint, id) =>
      `${address(org, 'flows', flow, 'artifacts', fingerprint)}?attestation_id=${id}`,
    artifactAnswer: (org, flow, fingerprint, id) => {
      const path = ['artifacts', org, flow, 'fingerprint', fingerprint].map((segment) => encodeURIComponent(segment));
      return `${origin()}${prefix}/${path.join('/')}?attestation_id=${id}`;
    },
    trailPage,
    attestationPage,
    attachment: (org, flow, trail, id) => `${attestationPage(org, flow, trail, id)}/attachment`,
  };
}
