import type { CommonAttestation } from '../../../contract/attestations/attestation-fields.ts';
import { clip } from './components.ts';
import { html, link, type Html } from './html.ts';

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
