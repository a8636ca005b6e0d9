import type { EnvironmentEvent } from '../domain/environment-event.ts';
import { wordsOfGroup } from '../domain/event-digest.ts';
import { longestShownText, toSingleLine } from '../domain/single-line.ts';
import type { PayloadDigestGroup, WebhookPayload } from './webhook-payload.ts';

/** In characters: room for the addresses of pages. */
const longestLine = 2000;

/** The payload in plain words, a line each, for people. What was reported cannot begin a line of its own. */
export function renderMessage({
  org,
  environment,
  description,
  snapshot,
  artifact,
  digest,
  timestamp,
}: WebhookPayload): string {
  const lines = [
    description,
    '',
    `Environment: ${environment} of ${org}`,
    `Snapshot: ${snapshot.index}, ${snapshot.status}`,
    ...(artifact === null ? [] : [`Artifact: ${renderArtifact(artifact)}`]),
    ...(artifact?.provenance ? [`Commit: ${artifact.provenance.commit_url}`] : []),
    ...(digest?.events ?? []).flatMap(renderDigest),
    `Time: ${new Date(timestamp * 1000).toISOString()}`,
    snapshot.html_url,
  ];
  return lines.map((line) => toSingleLine(line, longestLine)).join('\n');
}

function renderDigest({ event_type: trigger, count, artifacts }: PayloadDigestGroup): readonly string[] {
  const words = wordsOfGroup({ trigger, count, artifacts });
  if (words === undefined) return [];
  const more = count - artifacts.length;
  return [
    `${words}:`,
    ...artifacts.map((artifact) => `- ${renderArtifact(artifact)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

/** A long name is cut so that the fingerprint remains. */
function renderArtifact({ name, fingerprint }: { readonly name: string; readonly fingerprint: string }): string {
  return `${toSingleLine(name, longestShownText - 100)}, ${fingerprint}`;
}

/** What a message is about, for the subject of an e-mail. */
export function renderSubject({ environment, trigger, digest }: EnvironmentEvent): string {
  const more = digest === undefined ? '' : ` and ${digest.total - 1} more events`;
  return toSingleLine(`${environment}: ${trigger}${more}`);
}
