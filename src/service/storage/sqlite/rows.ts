import type { SQLOutputValue } from 'node:sqlite';
import type { ArtifactReport } from '../../../contract/artifact-report.ts';
import type { SonarAttestation } from '../../../contract/attestation.ts';
import type { Verdict } from '../../../contract/compliance.ts';
import type { NotificationTarget } from '../../../contract/notification.ts';
import { parseExactJson } from '../../../runtime/exact-json.ts';
import type {
  Appearance,
  Attestation,
  AttestationSummary,
  Flow,
  ReportedArtifact,
  Trail,
} from '../../domain/records.ts';
import type { SigningSecret } from '../../domain/webhook-secret.ts';

/** A row as SQLite answers it. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The text in a column. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} holds no text`);
  return value;
}

/** The number in a column. */
export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`column ${column} holds no number`);
  return value;
}

/** The number in a column; undefined if it is null. */
export function optionalNumber(row: Row, column: string): number | undefined {
  return typeof row[column] === 'number' ? row[column] : undefined;
}

/** The value converted, where there is one. */
export function optional<From, To>(value: From | undefined, convert: (value: From) => To): To | undefined {
  return value === undefined ? undefined : convert(value);
}

const optionalText = (row: Row, column: string): string | undefined =>
  row[column] === null ? undefined : text(row, column);

/** A document that this service wrote, and checked before it did; numbers of its data of free form are as they were sent. */
function document(row: Row, column: string): unknown {
  return parseExactJson(text(row, column));
}

/** A flow. */
export function toFlow(row: Row): Flow {
  return {
    org: text(row, 'org'),
    name: text(row, 'name'),
    description: text(row, 'description'),
    visibility: toVisibility(row),
    template: document(row, 'template') as readonly string[],
    repoUrl: optionalText(row, 'repo_url'),
    createdAt: number(row, 'created_at'),
    lastModifiedAt: number(row, 'last_modified_at'),
  };
}

function toVisibility(row: Row): 'public' | 'private' | undefined {
  const visibility = optionalText(row, 'visibility');
  return visibility === 'public' || visibility === 'private' ? visibility : undefined;
}

/** A trail. */
export function toTrail(row: Row): Trail {
  return {
    org: text(row, 'org'),
    flow: text(row, 'flow'),
    name: text(row, 'name'),
    createdAt: number(row, 'created_at'),
  };
}

/** The columns of an attestation without its document; `a` is the table. */
export const summaryColumns = [
  ...['org', 'flow', 'sequence', 'trail', 'id', 'name', 'type', 'verdict', 'reason', 'created_at', 'reported_by'],
  ...['attachment_filename', 'attachment_digest', 'attachment_size'],
]
  .map((column) => `a.${column}`)
  .join(', ');

const verdicts: readonly Verdict[] = ['compliant', 'non-compliant', 'incomplete'];

/** An attestation without its document. */
export function toSummary(row: Row): AttestationSummary {
  const verdict = verdicts.find((known) => known === row['verdict']);
  if (verdict === undefined || row['type'] !== 'sonar') throw new TypeError('a stored attestation is damaged');
  const digest = optionalText(row, 'attachment_digest');
  const attachment =
    digest === undefined
      ? {}
      : { attachment: { filename: text(row, 'attachment_filename'), digest, size: number(row, 'attachment_size') } };
  return {
    org: text(row, 'org'),
    flow: text(row, 'flow'),
    trail: text(row, 'trail'),
    id: text(row, 'id'),
    name: text(row, 'name'),
    type: row['type'],
    verdict,
    reason: text(row, 'reason'),
    createdAt: number(row, 'created_at'),
    reportedBy: text(row, 'reported_by'),
    ...attachment,
  };
}

/** An attestation. */
export function toAttestation(row: Row): Attestation {
  return { ...toSummary(row), document: document(row, 'document') as SonarAttestation };
}

/** A report of an artifact. */
export function toReportedArtifact(row: Row): ReportedArtifact {
  return {
    org: text(row, 'org'),
    flow: text(row, 'flow'),
    id: text(row, 'id'),
    createdAt: number(row, 'created_at'),
    reportedBy: text(row, 'reported_by'),
    report: document(row, 'report') as ArtifactReport,
  };
}

/** A stretch of time in which an artifact runs; the row also has the number of the environment's latest snapshot. */
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

/** A target that this service wrote, and checked before it did. */
export function toTarget(row: Row): NotificationTarget {
  return JSON.parse(text(row, 'target')) as NotificationTarget;
}

/** Secrets that this service wrote. */
export function toSecrets(row: Row): readonly SigningSecret[] {
  return JSON.parse(text(row, 'signing_secrets')) as readonly SigningSecret[];
}
