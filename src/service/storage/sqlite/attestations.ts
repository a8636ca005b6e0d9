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
import { prepare, type Prepared } from './statements.ts';

/**
 * Columns with the fields of a document that say what the attestation is about; the table alias is `a`. They are read
 * from the document, so a query must limit how large the documents are.
 */
const subjectColumns = `json_extract(a.document, '$.artifact_fingerprint') AS fingerprint,
  json_extract(a.document, '$.target_artifacts') AS targets,
  json_extract(a.document, '$.git_commit_info.sha1') AS commit_sha,
  json_extract(a.document, '$.git_commit_info.url') AS commit_url`;

// `+ 0` after limits: SQLite recompiles a statement for every value that is bound directly to a limit.
const reading = {
  find: 'SELECT * FROM attestations WHERE org = ? AND id = ? AND flow = ? AND trail = ?',
  findRequestDigest: 'SELECT request_digest FROM attestations WHERE org = ? AND idempotency_key = ?',
  isCurrent: `SELECT 1 FROM attestations f CROSS JOIN attestations a ON a.org = f.org AND a.flow = f.flow
      AND a.sequence = max(
        coalesce((SELECT sequence FROM current_evidence
          WHERE org = f.org AND flow = f.flow AND scope = ?3 AND name = ?4), 0),
        coalesce((SELECT max(sequence) FROM limited_evidence
          WHERE org = f.org AND flow = f.flow AND scope = ?3 AND name = ?4), 0))
    WHERE f.org = ?1 AND f.idempotency_key = ?2 AND a.type = f.type AND a.request_digest = f.request_digest`,
  findLatest: `SELECT sequence, created_at FROM attestations WHERE org = ? AND flow = ?
    ORDER BY sequence DESC LIMIT 1`,
  listByTrail: `SELECT ${summaryColumns} FROM attestations a
    WHERE a.org = ? AND a.flow = ? AND a.trail = ? ORDER BY a.sequence DESC LIMIT ? + 0`,
  listSubjects: `SELECT ${summaryColumns}, ${subjectColumns} FROM (
      SELECT sequence, sum(octet_length(document)) OVER (ORDER BY sequence DESC) AS bytes FROM attestations
      WHERE org = ?1 AND flow = ?2 AND trail = ?3 ORDER BY sequence DESC LIMIT ?4 + 0
    ) l CROSS JOIN attestations a ON a.org = ?1 AND a.flow = ?2 AND a.sequence = l.sequence
    WHERE l.bytes <= ?5 ORDER BY a.sequence DESC`,
  findById: 'SELECT * FROM attestations WHERE org = ? AND id = ?',
  listCurrent: `SELECT ${summaryColumns} FROM (
      SELECT sequence FROM current_evidence WHERE org = ?1 AND flow = ?2 AND scope = ?3
      UNION ALL SELECT sequence FROM limited_evidence WHERE org = ?1 AND flow = ?2 AND scope = ?3
    ) c CROSS JOIN attestations a ON a.org = ?1 AND a.flow = ?2 AND a.sequence = c.sequence`,
  listBound: `SELECT a.sequence, ${listedColumns} FROM bindings b JOIN attestations a USING (org, flow, sequence)
    WHERE b.org = ? AND b.flow = ? AND b.scope = ? ORDER BY b.sequence DESC LIMIT ? + 0`,
  isAttached: 'SELECT 1 FROM attestations WHERE attachment_digest = ? LIMIT 1',
  countAttached: `SELECT count(DISTINCT attachment_digest) AS count FROM attestations
    WHERE attachment_digest IS NOT NULL`,
} as const;

const writing = {
  hasEvidence: 'SELECT 1 FROM current_evidence WHERE org = ? AND flow = ? AND scope = ? AND name = ?',
  hasNames: `SELECT 1 FROM current_evidence WHERE org = ? AND flow = ? AND scope = ? LIMIT 1 OFFSET ? - 1`,
  hasLimitedEvidence:
    'SELECT 1 FROM limited_evidence WHERE org = ? AND flow = ? AND scope = ? AND counts_for = ? AND name = ?',
  hasLimitedNames: `SELECT 1 FROM limited_evidence WHERE org = ? AND flow = ? AND scope = ? AND counts_for = ?
    LIMIT 1 OFFSET ? - 1`,
  insert: `INSERT INTO attestations (org, flow, sequence, trail, id, name, type, verdict, reason, faults, created_at,
      reported_by, counts_for, attachment_filename, attachment_digest, attachment_size, document, stepped_back,
      idempotency_key, request_digest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  bind: 'INSERT INTO bindings (org, flow, scope, sequence) VALUES (?, ?, ?, ?)',
  setCurrent: `INSERT INTO current_evidence (org, flow, scope, name, sequence) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET sequence = excluded.sequence`,
  setLimited: `INSERT INTO limited_evidence (org, flow, scope, counts_for, name, sequence) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET sequence = excluded.sequence`,
} as const;

/** Attestations in SQLite, for reading. */
export class SqliteAttestationReader implements AttestationReader {
  protected readonly session: Session;
  readonly #statements: Prepared<typeof reading>;

  constructor(session: Session) {
    this.session = session;
    this.#statements = prepare(session.database, reading);
  }

  find(org: string, flow: string, trail: string, id: string): Promise<Attestation | undefined> {
    return this.session.execute(() => optional(this.#statements.find.get(org, id, flow, trail), toAttestation));
  }

  findById(org: string, id: string): Promise<(Attestation & Sequenced) | undefined> {
    return this.session.execute(() => optional(this.#statements.findById.get(org, id), toRecordedAttestation));
  }

  findRequestDigest(org: string, key: string): Promise<string | undefined> {
    return this.session.execute(() =>
      optional(this.#statements.findRequestDigest.get(org, key), (row) => text(row, 'request_digest')),
    );
  }

  isCurrent(org: string, key: string, scopes: readonly Scope[], evidence: string): Promise<boolean> {
    const { isCurrent } = this.#statements;
    return this.session.execute(() => scopes.every((scope) => isCurrent.get(org, key, scope, evidence) !== undefined));
  }

  findLatest({ org, flow }: FlowReference): ReturnType<AttestationReader['findLatest']> {
    return this.session.execute(() => optional(this.#statements.findLatest.get(org, flow), toSequenceAndTime));
  }

  listByTrail({ org, flow }: FlowReference, trail: string, limit: number): Promise<readonly RecordedSummary[]> {
    return this.session.execute(() => this.#statements.listByTrail.all(org, flow, trail, limit).map(toRecordedSummary));
  }

  listSubjects(
    { org, flow }: FlowReference,
    trail: string,
    { count, maximumBytes }: Parameters<AttestationReader['listSubjects']>[2],
  ): Promise<readonly AttestationWithSubject[]> {
    return this.session.execute(() =>
      this.#statements.listSubjects.all(org, flow, trail, count, maximumBytes).map(toAttestationWithSubject),
    );
  }

  listCurrent(
    { org, flow }: FlowReference,
    scopes: readonly Scope[],
  ): Promise<ReadonlyMap<Scope, readonly RecordedSummary[]>> {
    return this.session.execute(
      () =>
        new Map(
          scopes.flatMap((scope) => {
            const rows = this.#statements.listCurrent.all(org, flow, scope);
            return rows.length === 0 ? [] : [[scope, rows.map(toRecordedSummary)] as const];
          }),
        ),
    );
  }

  listBound(
    { org, flow }: FlowReference,
    scopes: readonly Scope[],
    limit: number,
  ): Promise<readonly ListedAttestation[]> {
    return this.session.execute(() => {
      const rows = scopes.flatMap((scope) => this.#statements.listBound.all(org, flow, scope, limit));
      const bySequence = new Map(rows.map((row) => [number(row, 'sequence'), row]));
      const newestFirst = [...bySequence].sort(([one], [other]) => other - one).slice(0, limit);
      return newestFirst.map(([, row]) => toListedAttestation(row));
    });
  }

  isAttached(digest: string): Promise<boolean> {
    return this.session.execute(() => this.#statements.isAttached.get(digest) !== undefined);
  }

  countAttached(): Promise<number> {
    return this.session.execute(() => number(this.#statements.countAttached.get() ?? {}, 'count'));
  }
}

/** Attestations in SQLite, for writing. */
export class SqliteAttestationWriter extends SqliteAttestationReader implements AttestationWriter {
  readonly #statements: Prepared<typeof writing>;

  constructor(session: Session) {
    super(session);
    this.#statements = prepare(session.database, writing);
  }

  isAnyScopeFull({ org, flow }: FlowReference, place: EvidencePlace): Promise<boolean> {
    const { hasEvidence, hasNames, hasLimitedEvidence, hasLimitedNames } = this.#statements;
    const { scopes, evidence, maximumNames } = place;
    const countsFor = countsForColumn(place);
    const isFull = (scope: Scope): boolean =>
      countsFor === null
        ? hasEvidence.get(org, flow, scope, evidence) === undefined &&
          hasNames.get(org, flow, scope, maximumNames) !== undefined
        : hasLimitedEvidence.get(org, flow, scope, countsFor, evidence) === undefined &&
          hasLimitedNames.get(org, flow, scope, countsFor, maximumNames) !== undefined;
    return this.session.execute(() => scopes.some(isFull));
  }

  insert(attestation: NewAttestation): Promise<void> {
    const { org, flow, sequence, trail, id, name, type, verdict, reason, createdAt, reportedBy } = attestation;
    const { attachment, documentJson, isStepBack, scopes, evidence, requestKey } = attestation;
    const { filename = null, digest = null, size = null } = attachment ?? {};
    const { insert, bind, setCurrent, setLimited } = this.#statements;
    const countsFor = countsForColumn(attestation);
    return this.session.execute(() => {
      insert.run(
        ...[
          org,
          flow,
          sequence,
          trail,
          id,
          name,
          type,
          verdict,
          reason,
          faultsColumn(attestation),
          createdAt,
          reportedBy,
          countsFor,
        ],
        ...[filename, digest, size, documentJson, Number(isStepBack)],
        ...[requestKey?.key ?? null, requestKey?.digest ?? null],
      );
      for (const scope of scopes) {
        bind.run(org, flow, scope, sequence);
        if (countsFor === null) setCurrent.run(org, flow, scope, evidence, sequence);
        else setLimited.run(org, flow, scope, countsFor, evidence, sequence);
      }
    });
  }
}
