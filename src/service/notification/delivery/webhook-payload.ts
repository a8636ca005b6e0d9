import { payloadVersion, type Trigger } from '../../../contract/notification.ts';
import type { ArtifactDetails } from '../../artifact/artifact.ts';
import { judgeArtifact } from '../../artifact/artifact-state.ts';
import type { ArtifactLookup, ArtifactQuery } from '../../artifact/artifact-use-cases.ts';
import type { DigestGroup, EnvironmentEvent, EventDigest } from '../../environment/environment-event.ts';
import type { Links } from '../../platform/links.ts';

/** The payload of a webhook, in the form of the public documentation of such a service. */
export interface WebhookPayload {
  readonly version: typeof payloadVersion;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly org: string;
  readonly environment: string;
  readonly event_type: string;
  readonly description: string;
  readonly snapshot: {
    readonly index: number;
    readonly status: 'COMPLIANT' | 'NON-COMPLIANT' | 'UNKNOWN';
    readonly html_url: string;
    readonly api_url: string;
  };
  /** Null if the event is about the environment as a whole. */
  readonly artifact: PayloadArtifact | null;
  /** Present if the message combines many events of a snapshot; `event_type` is that of the most important event. */
  readonly digest?: {
    readonly total: number;
    readonly events: readonly PayloadDigestGroup[];
  };
}

export interface PayloadDigestGroup extends Omit<DigestGroup, 'trigger'> {
  readonly event_type: Trigger;
}

interface PayloadArtifact {
  readonly name: string;
  readonly fingerprint: string;
  /** Null if the artifact was not reported to any flow. */
  readonly provenance: {
    readonly flow: string;
    /** The state of the artifact when the message is sent; null if the artifact no longer exists. */
    readonly status: string | null;
    readonly commit: string;
    readonly commit_url: string;
    readonly html_url: string | null;
    readonly api_url: string | null;
    readonly build_url: string;
  } | null;
}

type Provenance = NonNullable<PayloadArtifact['provenance']>;

/** Looks up an artifact, for its state when the message is sent. */
export type FindArtifact = (query: ArtifactQuery) => Promise<ArtifactLookup>;

export async function toWebhookPayload(
  event: EnvironmentEvent,
  { findArtifact, links }: { readonly findArtifact: FindArtifact; readonly links: Links },
): Promise<WebhookPayload> {
  const { org, environment, snapshot, compliant, trigger, description, timestamp } = event;
  return {
    version: payloadVersion,
    timestamp,
    org,
    environment,
    event_type: trigger,
    description,
    snapshot: {
      index: snapshot,
      status: compliant === null ? 'UNKNOWN' : compliant ? 'COMPLIANT' : 'NON-COMPLIANT',
      html_url: links.pages.snapshot(org, environment, snapshot),
      api_url: links.snapshotApi(org, environment, snapshot),
    },
    artifact: await toPayloadArtifact(event, findArtifact, links),
    ...(event.digest === undefined ? {} : { digest: toPayloadDigest(event.digest) }),
  };
}

function toPayloadDigest({ total, groups }: EventDigest): NonNullable<WebhookPayload['digest']> {
  return { total, events: groups.map(({ trigger, ...group }) => ({ event_type: trigger, ...group })) };
}

async function toPayloadArtifact(
  { org, artifact }: EnvironmentEvent,
  findArtifact: FindArtifact,
  links: Links,
): Promise<PayloadArtifact | null> {
  if (artifact === undefined) return null;
  const { name, fingerprint, provenance } = artifact;
  if (provenance === undefined) return { name, fingerprint, provenance: null };
  const { commit, commitUrl, buildUrl } = provenance;
  const finding = await findArtifact({ org, flow: provenance.flow, fingerprint });
  const found = finding.outcome === 'found' ? toFound(finding.details, links) : notFound;
  const build = { commit, commit_url: commitUrl, build_url: buildUrl };
  return { name, fingerprint, provenance: { flow: provenance.flow, ...found, ...build } };
}

const notFound = { status: null, html_url: null, api_url: null } as const;

function toFound(details: ArtifactDetails, links: Links): Pick<Provenance, 'flow' | keyof typeof notFound> {
  const { org, flow, id, report } = details.artifact;
  return {
    flow,
    status: judgeArtifact(details).state,
    html_url: links.pages.artifact(org, flow, report.fingerprint, id),
    api_url: links.artifactApi(org, flow, report.fingerprint, id),
  };
}
