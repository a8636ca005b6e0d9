import type { CommonAttestation } from '../../contract/attestations/attestation-fields.ts';
import { clip, renderJson } from '../platform/pages/components.ts';
import { html, link, type Html } from '../platform/pages/html.ts';

/** Renders a reported address as a link; undefined if there is none. */
export function renderAddress(address: string | undefined): Html | undefined {
  return address === undefined ? undefined : link(address, clip(address, 120));
}

/** Renders the repository as a link; undefined if it was not reported. */
export function renderRepository(
  repository: { readonly name: string; readonly url: string } | undefined,
): Html | undefined {
  return repository === undefined ? undefined : link(repository.url, repository.name);
}

/** Renders the section with the free-form data of a report; undefined if there is none. */
export function renderUserData(data: unknown): Html | undefined {
  if (data === undefined) return undefined;
  return html`<h2>Data</h2>
    ${renderJson(data)}`;
}

/** The maximum number of links or remarks. */
const maximumEntries = 20;

/** Renders links to other systems; undefined if there are none. */
export function renderExternalLinks(urls: CommonAttestation['external_urls']): Html | undefined {
  const entries = Object.entries(urls ?? {}).slice(0, maximumEntries);
  if (entries.length === 0) return undefined;
  return html`${entries.map(([label, { href }]) => html`${link(href, clip(label, 80))} `)}`;
}

/** Renders short remarks by key; undefined if there are none. */
export function renderAnnotations(annotations: Readonly<Record<string, unknown>> | undefined): Html | undefined {
  const entries = Object.entries(annotations ?? {}).slice(0, maximumEntries);
  if (entries.length === 0) return undefined;
  return html`${entries.map(([key, remark]) => html`${key}: ${clip(typeof remark === 'string' ? remark : JSON.stringify(remark), 200)}<br />`)}`;
}
