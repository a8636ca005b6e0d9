import type { Scope } from '../../domain/evidence-scope.ts';
import type { Attestation, ListedAttestation } from '../../domain/records.ts';
import type { AttestationWithSubject } from '../../domain/trail-details.ts';
import type {
  AttestationReader,
  AttestationWriter,
  EvidencePlace,
  FlowReference,
  NewAttestation,
  RecordedSummary,
  Sequenced,
} from '../attestations.ts';
import {
  countsForColumn,
  listedColumns,
  number,
  optional,
  summaryColumns,
  text,
  toAttestation,
  toAttestationWithSubject,
  toListedAttestation,
} from '../rows.ts';
import { faultsColumn, toRecordedAttestation, toRecordedSummary, toSequenceAndTime } from '../rows/attestations.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

// `LIMIT` and `OFFSET` in subqueries make the planner look up each row of the list, instead of reading the whole table.

/** The attestations of a list of flows and sequence numbers; with their documents and the digests of their requests. */
const joinAttestations = (list: string): string => `CROSS JOIN LATERAL (
      SELECT ${summaryColumns}, a.document, a.request_digest FROM attestations a
      WHERE a.org = $1 AND a.flow = ${list}.flow AND a.sequence = ${list}.sequence LIMIT 1
    ) a`;

const statements = defineStatements('attestations', {
  // A trail can have any number of attestations, so the id comes first.
  find: `SELECT ${summaryColumns}, a.document FROM (
      SELECT ${summaryColumns}, a.document FROM attestations a WHERE org = $1 AND id = $2 OFFSET 0
    ) a WHERE flow = $3 AND trail = $4`,
  findById: `SELECT ${summaryColumns}, a.document FROM attestations a WHERE org = $1 AND id = $2`,
  findRequestDigest: 'SELECT request_digest FROM attestations WHERE org = $1 AND idempotency_key = $2',
  countCurrent: `SELECT count(*) AS count FROM attestations f CROSS JOIN unnest($3::text[]) AS s (scope)
    CROSS JOIN LATERAL (
      SELECT f.flow, max(sequence) AS sequence FROM (
        SELECT sequence FROM current_evidence WHERE org = $1 AND flow = f.flow AND scope = s.scope AND name = $4
        UNION ALL
        SELECT sequence FROM limited_evidence WHERE org = $1 AND flow = f.flow AND scope = s.scope AND name = $4
      ) c
    ) c ${joinAttestations('c')}
    WHERE f.org = $1 AND f.idempotency_key = $2 AND a.type = f.type AND a.request_digest = f.request_digest`,
  findLatest: `SELECT sequence, created_at FROM attestations WHERE org = $1 AND flow = $2
    ORDER BY sequence DESC LIMIT 1`,
  listByTrail: `SELECT ${summaryColumns} FROM attestations a
    WHERE org = $1 AND flow = $2 AND trail = $3 ORDER BY sequence DESC LIMIT $4`,
  // The documents are parsed, so their size is limited first. PostgreSQL stores the length, and need not read them for it.
  listSubjects: `SELECT ${summaryColumns}, d.artifact_fingerprint AS fingerprint, d.target_artifacts AS targets,
      d.git_commit_info ->> 'sha1' AS commit_sha, d.git_commit_info ->> 'url' AS commit_url
    FROM (
      SELECT flow, sequence, sum(octet_length(document)) OVER (ORDER BY sequence DESC) AS bytes FROM attestations
      WHERE org = $1 AND flow = $2 AND trail = $3 ORDER BY sequence DESC LIMIT $4
    ) l ${joinAttestations('l')} CROSS JOIN LATERAL json_to_record(a.document::json)
      AS d (artifact_fingerprint text, target_artifacts text, git_commit_info json)
    WHERE l.bytes <= $5 ORDER BY l.sequence DESC`,
  listCurrent: `SELECT c.scope, ${summaryColumns} FROM unnest($3::text[]) AS s (scope) CROSS JOIN LATERAL (
      SELECT flow, scope, sequence FROM current_evidence WHERE org = $1 AND flow = $2 AND scope = s.scope
      UNION ALL
      SELECT flow, scope, sequence FROM limited_evidence WHERE org = $1 AND flow = $2 AND scope = s.scope OFFSET 0
    ) c ${joinAttestations('c')}`,
  // The primary key returns the rows of a list faster than a join, but in no order.
  listBound: `SELECT ${listedColumns} FROM (
      SELECT a.sequence, ${listedColumns} FROM attestations a
      WHERE a.org = $1 AND a.flow = $2 AND a.sequence = ANY (ARRAY(
        SELECT DISTINCT b.sequence FROM unnest($3::text[]) AS s (scope) CROSS JOIN LATERAL (
          SELECT sequence FROM bindings WHERE org = $1 AND flow = $2 AND scope = s.scope
          ORDER BY sequence DESC LIMIT $4
        ) b ORDER BY b.sequence DESC LIMIT $4
      )) OFFSET 0
    ) a ORDER BY a.sequence DESC`,
  isAnyScopeFull: `SELECT EXISTS (
      SELECT 1 FROM unnest($3::text[]) AS s (scope)
      WHERE CASE WHEN $6::text IS NULL THEN NOT EXISTS (
        SELECT 1 FROM current_evidence WHERE org = $1 AND flow = $2 AND scope = s.scope AND name = $4 OFFSET 0
      ) AND EXISTS (
        SELECT 1 FROM current_evidence WHERE org = $1 AND flow = $2 AND scope = s.scope OFFSET $5::bigint - 1
      ) ELSE NOT EXISTS (
        SELECT 1 FROM limited_evidence
        WHERE org = $1 AND flow = $2 AND scope = s.scope AND counts_for = $6 AND name = $4 OFFSET 0
      ) AND EXISTS (
        SELECT 1 FROM limited_evidence WHERE org = $1 AND flow = $2 AND scope = s.scope AND counts_for = $6
        OFFSET $5::bigint - 1
      ) END
    ) AS is_full`,
  isAttached: 'SELECT 1 FROM attestations WHERE attachment_digest = $1 LIMIT 1',
  countAttached: `SELECT count(*) AS count FROM (
      SELECT DISTINCT attachment_digest FROM attestations WHERE attachment_digest IS NOT NULL
    ) d`,
  // Evidence that counts for some environments only is current among its like.
  insert: `WITH inserted AS (
      INSERT INTO attestations (org, flow, sequence, trail, id, name, type, verdict, reason, faults, created_at,
        reported_by, counts_for, attachment_filename, attachment_digest, attachment_size, document, stepped_back,
        idempotency_key, request_digest)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
      RETURNING org, flow, sequence, counts_for
    ), bound AS (
      INSERT INTO bindings (org, flow, scope, sequence)
      SELECT org, flow, scope, sequence FROM inserted, unnest($22::text[]) AS s (scope)
    ), limited AS (
      INSERT INTO limited_evidence (org, flow, scope, counts_for, name, sequence)
      SELECT org, flow, scope, counts_for, $21, sequence FROM inserted, unnest($22::text[]) AS s (scope)
      WHERE counts_for IS NOT NULL
      ON CONFLICT (org, flow, scope, counts_for, name) DO UPDATE SET sequence = excluded.sequence
    )
    INSERT INTO current_evidence (org, flow, scope, name, sequence)
    SELECT org, flow, scope, $21, sequence FROM inserted, unnest($22::text[]) AS s (scope) WHERE counts_for IS NULL
    ON CONFLICT (org, flow, scope, name) DO UPDATE SET sequence = excluded.sequence`,
});

/** Attestations in PostgreSQL, for reading. */
export class PostgresAttestationReader implements AttestationReader {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  async find(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined> {
    const [row] = await this.session.query(statements.find, [org, id, flow, trail]);
    return optional(row, toAttestation);
  }

  async findById(org: string, id: string): Promise<(Attestation & Sequenced) | undefined> {
    const [row] = await this.session.query(statements.findById, [org, id]);
    return optional(row, toRecordedAttestation);
  }

  async findRequestDigest(org: string, key: string): Promise<string | undefined> {
    const [row] = await this.session.query(statements.findRequestDigest, [org, key]);
    return optional(row, (found) => text(found, 'request_digest'));
  }

  async isCurrent(org: string, key: string, scopes: readonly Scope[], evidence: string): Promise<boolean> {
    const [row = {}] = await this.session.query(statements.countCurrent, [org, key, scopes, evidence]);
    return number(row, 'count') === scopes.length;
  }

  async findLatest({ org, flow }: FlowReference): ReturnType<AttestationReader['findLatest']> {
    const [row] = await this.session.query(statements.findLatest, [org, flow]);
    return optional(row, toSequenceAndTime);
  }

  async listByTrail({ org, flow }: FlowReference, trail: string, limit: number): Promise<readonly RecordedSummary[]> {
    const rows = await this.session.query(statements.listByTrail, [org, flow, trail, limit]);
    return rows.map(toRecordedSummary);
  }

  async listSubjects(
    { org, flow }: FlowReference,
    trail: string,
    { count, maximumBytes }: Parameters<AttestationReader['listSubjects']>[2],
  ): Promise<readonly AttestationWithSubject[]> {
    const rows = await this.session.query(statements.listSubjects, [org, flow, trail, count, maximumBytes]);
    return rows.map(toAttestationWithSubject);
  }

  async listCurrent(
    { org, flow }: FlowReference,
    scopes: readonly Scope[],
  ): Promise<ReadonlyMap<Scope, readonly RecordedSummary[]>> {
    const rows = await this.session.query(statements.listCurrent, [org, flow, scopes]);
    const byScope = Map.groupBy(rows, (row): Scope => text(row, 'scope'));
    return new Map([...byScope].map(([scope, current]) => [scope, current.map(toRecordedSummary)]));
  }

  async listBound(
    { org, flow }: FlowReference,
    scopes: readonly Scope[],
    limit: number,
  ): Promise<readonly ListedAttestation[]> {
    const rows = await this.session.query(statements.listBound, [org, flow, scopes, limit]);
    return rows.map(toListedAttestation);
  }

  async isAttached(digest: string): Promise<boolean> {
    return (await this.session.query(statements.isAttached, [digest])).length > 0;
  }

  async countAttached(): Promise<number> {
    const [row = {}] = await this.session.query(statements.countAttached, []);
    return number(row, 'count');
  }
}

/** Attestations in PostgreSQL, for writing. */
export class PostgresAttestationWriter extends PostgresAttestationReader implements AttestationWriter {
  async isAnyScopeFull({ org, flow }: FlowReference, place: EvidencePlace): Promise<boolean> {
    const { scopes, evidence, maximumNames } = place;
    const values = [org, flow, scopes, evidence, maximumNames, countsForColumn(place)];
    const [row] = await this.session.query(statements.isAnyScopeFull, values);
    return row?.['is_full'] === true;
  }

  insert(attestation: NewAttestation): Promise<void> {
    const { org, flow, sequence, trail, id, name, type, verdict, reason, createdAt, reportedBy } = attestation;
    const { attachment, documentJson, isStepBack, scopes, evidence, requestKey } = attestation;
    const { filename = null, digest = null, size = null } = attachment ?? {};
    const faults = faultsColumn(attestation);
    const countsFor = countsForColumn(attestation);
    return this.session.run(statements.insert, [
      ...[org, flow, sequence, trail, id, name, type, verdict, reason, faults, createdAt, reportedBy, countsFor],
      ...[filename, digest, size, documentJson, Number(isStepBack)],
      ...[requestKey?.key ?? null, requestKey?.digest ?? null, evidence, scopes],
    ]);
  }
}
