import type { EnvironmentEvent } from '../../environment/environment-event.ts';
import { describeGroup } from '../../environment/event-digest.ts';
import { maximumShownLength, toSingleLine } from '../../platform/single-line.ts';
import type { PayloadDigestGroup, WebhookPayload } from './webhook-payload.ts';

/** In characters; long enough for the addresses of pages. */
const maximumLineLength = 2000;

/** Renders the payload as plain text for people. Reported data cannot start a new line. */
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
  return lines.map((line) => toSingleLine(line, maximumLineLength)).join('\n');
}

function renderDigest({ event_type: trigger, count, artifacts }: PayloadDigestGroup): readonly string[] {
  const words = describeGroup({ trigger, count, artifacts });
  if (words === undefined) return [];
  const more = count - artifacts.length;
  return [
    `${words}:`,
    ...artifacts.map((artifact) => `- ${renderArtifact(artifact)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

/** Shortens a long name, so that the fingerprint stays visible. */
function renderArtifact({ name, fingerprint }: { readonly name: string; readonly fingerprint: string }): string {
  return `${toSingleLine(name, maximumShownLength - 100)}, ${fingerprint}`;
}

export function renderSubject({ environment, trigger, digest }: EnvironmentEvent): string {
  const more = digest === undefined ? '' : ` and ${digest.total - 1} more events`;
  return toSingleLine(`${environment}: ${trigger}${more}`);
}
