import type { ArtifactReport } from '../../contract/artifact-report.ts';
import type { TrailReport } from '../../contract/trail.ts';
import { isAttestationType, type AttestationDocument } from '../../contract/attestations/kinds.ts';
import type { Verdict } from '../../contract/compliance.ts';
import type { NotificationTarget } from '../../contract/notification.ts';
import { parseExactJson } from '../../runtime/exact-json.ts';
import type { CountsFor } from '../domain/audience.ts';
import type {
  Appearance,
  Attestation,
  AttestationSummary,
  Flow,
  ListedAttestation,
  ReportedArtifact,
  Trail,
  TrailUpdate,
} from '../domain/records.ts';
import type { RecordedFault } from '../domain/reasons.ts';
import type { FlowHead } from './flows.ts';
import type { Template } from '../domain/template/template.ts';
import type { AttestationWithSubject } from '../domain/trail-details.ts';
import type { SigningSecret } from '../domain/webhook-secret.ts';

/** A row as a database returns it. */
export type Row = Readonly<Record<string, unknown>>;

/** Reads a text column. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds no text`);
  return value;
}

/** Reads a number column. */
export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`column ${column} holds no number`);
  return value;
}

/** Reads a column of bytes. */
export function blob(row: Row, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw new TypeError(`column ${column} holds no bytes`);
  return value;
}

/** Reads a number column; undefined if it is null. */
export function optionalNumber(row: Row, column: string): number | undefined {
  return typeof row[column] === 'number' ? row[column] : undefined;
}

/** Converts the value unless it is undefined. */
export function optional<From, To>(value: From | undefined, convert: (value: From) => To): To | undefined {
  return value === undefined ? undefined : convert(value);
}

const optionalText = (row: Row, column: string): string | undefined =>
  row[column] === null ? undefined : text(row, column);

/**
 * Parses a document that this service validated before storing it. Numbers in free-form data are kept as they were
 * sent.
 */
function document(row: Row, column: string): unknown {
  return parseExactJson(text(row, column));
}

/** Converts a row to a flow without its template and repository. */
export function toFlowHead(row: Row): FlowHead {
  return {
    org: text(row, 'org'),
    name: text(row, 'name'),
    description: text(row, 'description'),
    visibility: toVisibility(row),
  };
}

/** Converts a row to a flow. */
export function toFlow(row: Row): Flow {
  return {
    ...toFlowHead(row),
    template: JSON.parse(text(row, 'template')) as Template,
    repoUrl: optionalText(row, 'repo_url'),
    createdAt: number(row, 'created_at'),
    lastModifiedAt: number(row, 'last_modified_at'),
  };
}

function toVisibility(row: Row): 'public' | 'private' | undefined {
  const visibility = optionalText(row, 'visibility');
  return visibility === 'public' || visibility === 'private' ? visibility : undefined;
}

/** Converts a row to a trail. */
export function toTrail(row: Row): Trail {
  return {
    org: text(row, 'org'),
    flow: text(row, 'flow'),
    name: text(row, 'name'),
    createdAt: number(row, 'created_at'),
    lastModifiedAt: optionalNumber(row, 'last_modified_at') ?? number(row, 'created_at'),
    report: document(row, 'report') as TrailReport,
  };
}

/** Converts a row to an update of a trail. */
export function toTrailUpdate(row: Row): TrailUpdate {
  const sha1 = optionalText(row, 'commit_sha');
  const url = optionalText(row, 'commit_url');
  const commit = sha1 === undefined ? undefined : { sha1, ...(url === undefined ? {} : { url }) };
  return { at: number(row, 'updated_at'), commit };
}

const ofAttestation = (columns: readonly string[]): string => columns.map((column) => `a.${column}`).join(', ');

const listed = [
  'trail',
  'id',
  'name',
  'type',
  'verdict',
  'reason',
  'faults',
  'created_at',
  'reported_by',
  'counts_for',
];

/** The columns of an attestation in a history; the table alias is `a`. */
export const listedColumns = ofAttestation(listed);

/** The columns of an attestation without its document; the table alias is `a`. */
export const summaryColumns = ofAttestation([
  ...['org', 'flow', 'sequence', ...listed],
  ...['attachment_filename', 'attachment_digest', 'attachment_size'],
]);

const verdicts: readonly Verdict[] = ['compliant', 'non-compliant', 'incomplete'];

/** Converts a row to an attestation in a history. */
export function toListedAttestation(row: Row): ListedAttestation {
  const verdict = verdicts.find((known) => known === row['verdict']);
  const type = text(row, 'type');
  if (verdict === undefined || !isAttestationType(type)) throw new TypeError('a stored attestation is damaged');
  return {
    trail: text(row, 'trail'),
    id: text(row, 'id'),
    name: text(row, 'name'),
    type,
    verdict,
    reason: text(row, 'reason'),
    // Validated before it was stored. Attestations of earlier versions have none.
    faults: JSON.parse(optionalText(row, 'faults') ?? '[]') as readonly RecordedFault[],
    createdAt: number(row, 'created_at'),
    reportedBy: text(row, 'reported_by'),
    ...toCountsFor(row),
  };
}

/** Null stands for all environments; else the column has their names as JSON. */
function toCountsFor(row: Row): { readonly countsFor?: CountsFor } {
  const names = optionalText(row, 'counts_for');
  return names === undefined ? {} : { countsFor: JSON.parse(names) as readonly string[] };
}

/** The column of a record with the environments that it counts for. */
export function countsForColumn({ countsFor }: { readonly countsFor?: CountsFor }): string | null {
  return countsFor === undefined ? null : JSON.stringify(countsFor);
}

/** Converts a row to an attestation without its document. */
export function toSummary(row: Row): AttestationSummary {
  const digest = optionalText(row, 'attachment_digest');
  const attachment =
    digest === undefined
      ? {}
      : { attachment: { filename: text(row, 'attachment_filename'), digest, size: number(row, 'attachment_size') } };
  return { org: text(row, 'org'), flow: text(row, 'flow'), ...toListedAttestation(row), ...attachment };
}

/**
 * Converts a row with the columns of `toSummary`, and those that say what the attestation is about: `fingerprint`,
 * `targets` (JSON), `commit_sha` and `commit_url`.
 */
export function toAttestationWithSubject(row: Row): AttestationWithSubject {
  const sha1 = optionalText(row, 'commit_sha');
  return {
    ...toSummary(row),
    fingerprint: optionalText(row, 'fingerprint'),
    // Validated before it was stored.
    targets: JSON.parse(optionalText(row, 'targets') ?? '[]') as readonly string[],
    commit: sha1 === undefined ? undefined : { sha1, url: optionalText(row, 'commit_url') },
  };
}

/** Converts a row to an attestation. */
export function toAttestation(row: Row): Attestation {
  return { ...toSummary(row), document: document(row, 'document') as AttestationDocument };
}

/** Converts a row to a reported artifact. */
export function toReportedArtifact(row: Row): ReportedArtifact {
  return {
    org: text(row, 'org'),
    flow: text(row, 'flow'),
    id: text(row, 'id'),
    createdAt: number(row, 'created_at'),
    reportedBy: text(row, 'reported_by'),
    ...toCountsFor(row),
    report: document(row, 'report') as ArtifactReport,
  };
}

/** Converts a row to an appearance. The row must include `latest` of the environment. */
export function toAppearance(row: Row): Appearance {
  const exited = row['exited'];
  return {
    environment: text(row, 'environment'),
    started: number(row, 'started'),
    startedAt: number(row, 'started_at'),
    last: exited === null ? number(row, 'latest') : number(row, 'exited') - 1,
    exitedAt: exited === null ? undefined : number(row, 'exited_at'),
  };
}

/** Parses the target in a row; it was validated before it was stored. */
export function toTarget(row: Row): NotificationTarget {
  return JSON.parse(text(row, 'target')) as NotificationTarget;
}

/** Parses the signing secrets in a row; they were written by this service. */
export function toSecrets(row: Row): readonly SigningSecret[] {
  return JSON.parse(text(row, 'signing_secrets')) as readonly SigningSecret[];
}
