import { findKind } from '../../contract/attestations/kinds.ts';
import type { Verdict } from '../../contract/compliance.ts';
import type { CountsFor } from '../account/audience.ts';
import {
  defineStatements,
  either,
  isAnyOf,
  lookUp,
  lookUpAll,
  Repository,
  valuesOf,
} from '../platform/database/database.ts';
import {
  countsForColumn,
  document,
  json,
  number,
  oneOf,
  optional,
  optionalJson,
  optionalNumber,
  optionalText,
  recordersColumn,
  type Row,
  text,
  toRecord,
} from '../platform/database/rows.ts';
import type { RecordKey } from '../platform/idempotency/remembered-answer-records.ts';
import type { TrailIdentity } from '../requirement/recorder.ts';
import type { AttestationWithSubject } from '../trail/trail.ts';
import { toCommit, trailCommit } from '../trail/trail-records.ts';
import type { Attachment, Attestation, AttestationSummary } from './attestation.ts';
import type { Scope } from './evidence-scope.ts';
import { showsAttachment } from './removed-attachment-records.ts';

interface LocatedSummary extends AttestationSummary {
  readonly about: TrailIdentity;
}

export interface FlowReference {
  readonly org: string;
  readonly flow: string;
}

export type LatestAttestation = Pick<AttestationSummary, 'sequence' | 'createdAt'>;

export interface NewAttestation extends AttestationSummary {
  /** Unique within the organization. */
  readonly requestKey?: RecordKey | undefined;
  /** Whether its time is before that of its predecessor. */
  readonly isStepBack: boolean;
  readonly scopes: readonly Scope[];
  /** Its evidence name. In each of the scopes, it becomes the latest attestation with that name and its `countsFor`. */
  readonly evidence: string;
  /** Its document as JSON, serialized before the transaction, because other transactions wait for it. */
  readonly documentJson: string;
}

/** Where a new attestation is to count. */
export interface EvidencePlace {
  readonly scopes: readonly Scope[];
  readonly evidence: string;
  /** Evidence with another `countsFor` is counted on its own, so that it cannot take all names. */
  readonly countsFor?: CountsFor;
  readonly maximumNames: number;
}

/** The attestation of a row `l` with its sequence number. */
const listedAttestation = lookUp('attestations', 'a', 'a.org = $1 AND a.flow = $2 AND a.sequence = l.sequence');

/** The number of the repository of the trail `t`, if it is known. */
const trailRepository = `coalesce(${either(
  "t.report ->> '$.repo_info.id', t.report ->> '$.proven.repository_id'",
  "t.report::json #>> '{repo_info,id}', t.report::json #>> '{proven,repository_id}'",
)})`;

const inScope = 'org = $1 AND flow = $2 AND scope = m.value';

const listCurrent = (table: string): string =>
  `SELECT e.scope, e.sequence FROM ${valuesOf('$3')}
    ${lookUpAll(table, 'e', 'e.org = $1 AND e.flow = $2 AND e.scope = m.value')}`;

// `OFFSET 0` makes PostgreSQL look up the name in each scope.
const isFull = (table: string, condition: string): string =>
  `SELECT 1 FROM ${valuesOf('$3')}
    WHERE NOT EXISTS (SELECT 1 FROM ${table} WHERE ${condition} AND name = $4 LIMIT 1 OFFSET 0)
      AND EXISTS (SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1 OFFSET $5::bigint - 1)`;

/** The columns of an attestation without its document; the table alias is `a`. Those of earlier versions have no faults. */
export const summaryColumns = `a.org, a.flow, a.sequence, a.trail, a.id, a.name, a.type, a.verdict, a.reason,
  coalesce(a.faults, '[]') AS faults, a.facts, a.created_at, a.reported_by, a.counts_for, a.recorders,
  a.attachment_filename, a.attachment_digest, a.attachment_size`;

const statements = defineStatements('attestations', {
  find: `SELECT ${summaryColumns}, a.document, r.removed_at, r.removed_by, r.reason AS removal_reason FROM attestations a
    LEFT JOIN removed_attachments r ON r.org = a.org AND r.attachment_digest = a.attachment_digest
    WHERE a.org = $1 AND a.id = $2`,
  listByIds: `SELECT ${summaryColumns} FROM attestations a WHERE org = $1 AND ${isAnyOf('id', '$2')}`,
  listPullRequests: `SELECT a.id, ${either("a.document ->> '$.pull_requests[0].url'", "a.document::json #>> '{pull_requests,0,url}'")} AS url
    FROM attestations a WHERE org = $1 AND ${isAnyOf('id', '$2')} AND type = 'pull_request'`,
  findRequestDigest: 'SELECT request_digest FROM attestations WHERE org = $1 AND idempotency_key = $2',
  isCurrent: `SELECT 1 FROM attestations f
    ${lookUp(
      'attestations',
      'a',
      `a.org = f.org AND a.flow = f.flow AND a.sequence = (SELECT max(l.sequence) FROM (
        SELECT sequence FROM current_evidence WHERE org = f.org AND flow = f.flow AND scope = $3 AND name = $4
        UNION ALL
        SELECT sequence FROM limited_evidence WHERE org = f.org AND flow = f.flow AND scope = $3 AND name = $4
      ) l)`,
    )}
    WHERE f.org = $1 AND f.idempotency_key = $2 AND a.type = f.type AND a.request_digest = f.request_digest`,
  findLatest: `SELECT sequence, created_at FROM attestations WHERE org = $1 AND flow = $2
    ORDER BY sequence DESC LIMIT 1`,
  listByTrail: `SELECT ${summaryColumns} FROM attestations a
    WHERE org = $1 AND flow = $2 AND trail = $3 ORDER BY sequence DESC LIMIT $4`,
  // The documents are parsed, so their size is limited first. Databases store the length, and need not read them for it.
  listSubjects: `SELECT ${summaryColumns}, a.document::json ->> 'artifact_fingerprint' AS fingerprint,
      coalesce(a.document::json ->> 'target_artifacts', '[]') AS targets,
      a.document::json -> 'git_commit_info' ->> 'sha1' AS commit_sha,
      a.document::json -> 'git_commit_info' ->> 'url' AS commit_url
    FROM (
      SELECT sequence, sum(octet_length(document)) OVER (ORDER BY sequence DESC) AS bytes FROM attestations
      WHERE org = $1 AND flow = $2 AND trail = $3 ORDER BY sequence DESC LIMIT $4
    ) l ${listedAttestation} WHERE l.bytes <= $5 ORDER BY l.sequence DESC`,
  listCurrent: `SELECT l.scope, ${summaryColumns} FROM (
      ${listCurrent('current_evidence')} UNION ALL ${listCurrent('limited_evidence')}
    ) l ${listedAttestation}`,
  countCurrent: `SELECT count(*) AS count FROM (
      ${listCurrent('current_evidence')} UNION ALL ${listCurrent('limited_evidence')} LIMIT $4
    ) l`,
  listRecordedBy: `SELECT e.scope, ${summaryColumns}, ${trailCommit} AS trail_commit, ${trailRepository} AS trail_repository
    FROM (
      SELECT DISTINCT e.scope, e.sequence FROM ${valuesOf('$3')} ${lookUpAll(
        'recorder_evidence',
        'e',
        `e.org = $1 AND e.flow = $2 AND e.scope = m.value AND ${isAnyOf('e.recorder', '$4')}`,
      )}
    ) e ${lookUp('attestations', 'a', 'a.org = $1 AND a.flow = $2 AND a.sequence = e.sequence')}
    ${lookUp('trails', 't', 't.org = $1 AND t.flow = $2 AND t.name = a.trail')}`,
  // Of each scope, no more is read than is wanted of all.
  listBound: `SELECT ${summaryColumns} FROM (
      SELECT DISTINCT b.sequence FROM ${valuesOf('$3')}
      ${lookUpAll(
        'bindings',
        'b',
        `b.org = $1 AND b.flow = $2 AND b.scope = m.value AND b.sequence >= coalesce((
          SELECT sequence FROM bindings WHERE ${inScope} ORDER BY sequence DESC LIMIT 1 OFFSET $4::bigint - 1
        ), 0)`,
      )} ORDER BY b.sequence DESC LIMIT $4
    ) l ${listedAttestation} ORDER BY l.sequence DESC`,
  isAttached: `SELECT 1 FROM attestations a WHERE a.attachment_digest = $1 AND ${showsAttachment} LIMIT 1`,
  countAttached: `SELECT count(*) AS count FROM (
      SELECT DISTINCT attachment_digest FROM attestations a WHERE ${showsAttachment}
    ) l`,
  isFull: isFull('current_evidence', inScope),
  isLimitedFull: isFull('limited_evidence', `${inScope} AND counts_for = $6`),
  insert: `INSERT INTO attestations (org, flow, sequence, trail, id, name, type, verdict, reason, faults, facts, created_at,
      reported_by, counts_for, recorders, attachment_filename, attachment_digest, attachment_size, document, stepped_back,
      idempotency_key, request_digest)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)`,
  bind: `INSERT INTO bindings (org, flow, scope, sequence) SELECT $1, $2, m.value, $4::bigint FROM ${valuesOf('$3')}`,
  // SQLite would take `ON` for that of a join, if there were no `WHERE`.
  setCurrent: `INSERT INTO current_evidence (org, flow, scope, sequence, name)
    SELECT $1, $2, m.value, $4::bigint, $5 FROM ${valuesOf('$3')} WHERE true
    ON CONFLICT (org, flow, scope, name) DO UPDATE SET sequence = excluded.sequence`,
  setLimited: `INSERT INTO limited_evidence (org, flow, scope, sequence, name, counts_for)
    SELECT $1, $2, m.value, $4::bigint, $5, $6 FROM ${valuesOf('$3')} WHERE true
    ON CONFLICT (org, flow, scope, counts_for, name) DO UPDATE SET sequence = excluded.sequence`,
  setOfRecorder: `INSERT INTO recorder_evidence (org, flow, scope, sequence, name, recorder, commit_sha)
    SELECT $1, $2, m.value, $4::bigint, $5, $6, $7 FROM ${valuesOf('$3')} WHERE true
    ON CONFLICT (org, flow, scope, recorder, commit_sha, name) DO UPDATE SET sequence = excluded.sequence`,
});

/** A pull request, by its address and its number: `#12`. */
export interface LinkedPullRequest {
  readonly url: string;
  readonly name: string;
}

/** Reads attestations. None is ever removed, so the sequence of a flow has no gaps. */
export class AttestationReader extends Repository {
  /** Finds an attestation in any trail. */
  findById(org: string, id: string): Promise<Attestation | undefined> {
    return this.queryFirst(statements.find, [org, id], toAttestation);
  }

  /** The attestations with these ids, in any order. */
  listByIds(org: string, ids: readonly string[]): Promise<readonly AttestationSummary[]> {
    return this.queryAll(statements.listByIds, [org, ids], toSummary);
  }

  /** The first pull request of each attestation that has any, by the id of the attestation. */
  async listPullRequests(org: string, ids: readonly string[]): Promise<ReadonlyMap<string, LinkedPullRequest>> {
    const rows = ids.length === 0 ? [] : await this.query(statements.listPullRequests, [org, ids]);
    return new Map(
      rows.flatMap((row) => {
        const url = optionalText(row, 'url');
        if (url === undefined) return [];
        const number = /\/(\d+)\/?$/u.exec(url)?.[1];
        return [[text(row, 'id'), { url, name: number === undefined ? 'open' : `#${number}` }] as const];
      }),
    );
  }

  /** The digest of the request with this idempotency key that recorded an attestation; undefined if there is none. */
  findRequestDigest(org: string, key: string): Promise<string | undefined> {
    return this.queryFirst(statements.findRequestDigest, [org, key], (found) => text(found, 'request_digest'));
  }

  /**
   * Whether the attestation that was recorded with this idempotency key, or one with the same content, is the latest of
   * its evidence name in each of its scopes.
   */
  async isCurrent(org: string, key: string, scopes: readonly Scope[], evidence: string): Promise<boolean> {
    const found = await Promise.all(
      scopes.map((scope) => this.query(statements.isCurrent, [org, key, scope, evidence])),
    );
    return found.every((rows) => rows.length > 0);
  }

  /** The sequence number and time of the latest attestation of a flow; undefined if it has none. */
  findLatest({ org, flow }: FlowReference): Promise<LatestAttestation | undefined> {
    return this.queryFirst(statements.findLatest, [org, flow], toLatest);
  }

  listByTrail({ org, flow }: FlowReference, trail: string, limit: number): Promise<readonly AttestationSummary[]> {
    return this.queryAll(statements.listByTrail, [org, flow, trail, limit], toSummary);
  }

  /**
   * Like `listByTrail`, with what the attestations are about.
   *
   * @param limits the list ends before their documents have more than `maximumBytes` in total
   */
  listSubjects(
    { org, flow }: FlowReference,
    trail: string,
    limits: { readonly count: number; readonly maximumBytes: number },
  ): Promise<readonly AttestationWithSubject[]> {
    const values = [org, flow, trail, limits.count, limits.maximumBytes];
    return this.queryAll(statements.listSubjects, values, toAttestationWithSubject);
  }

  /**
   * The latest attestation of each evidence name in each of the scopes, by scope; of those that do not count for all
   * environments, the latest of each `countsFor`, too. Scopes without any are left out.
   */
  async listCurrent(
    { org, flow }: FlowReference,
    scopes: readonly Scope[],
  ): Promise<ReadonlyMap<Scope, readonly AttestationSummary[]>> {
    const rows = await this.query(statements.listCurrent, [org, flow, scopes]);
    const byScope = Map.groupBy(rows, (row): Scope => text(row, 'scope'));
    return new Map([...byScope].map(([scope, current]) => [scope, current.map(toSummary)]));
  }

  /** How many attestations `listCurrent` lists; may stop to count at the limit. */
  countCurrent({ org, flow }: FlowReference, scopes: readonly Scope[], limit: number): Promise<number> {
    return this.queryNumber(statements.countCurrent, [org, flow, scopes, limit], 'count');
  }

  /** The latest attestation of each evidence name, recorder and commit in each of the scopes, by scope. */
  async listRecordedBy(
    { org, flow }: FlowReference,
    scopes: readonly Scope[],
    recorders: readonly string[],
  ): Promise<ReadonlyMap<Scope, readonly LocatedSummary[]>> {
    const rows = await this.query(statements.listRecordedBy, [org, flow, scopes, recorders]);
    const byScope = Map.groupBy(rows, (row): Scope => text(row, 'scope'));
    return new Map([...byScope].map(([scope, recorded]) => [scope, recorded.map(toLocatedSummary)]));
  }

  /** The latest attestations that are bound to any of the scopes, newest first, without duplicates. */
  listBound(
    { org, flow }: FlowReference,
    scopes: readonly Scope[],
    limit: number,
  ): Promise<readonly AttestationSummary[]> {
    return this.queryAll(statements.listBound, [org, flow, scopes, limit], toSummary);
  }

  /** Whether any attestation of any organization has an attachment with this digest that was not removed. */
  async isAttached(digest: string): Promise<boolean> {
    return (await this.query(statements.isAttached, [digest])).length > 0;
  }

  /** The number of distinct digests of attachments that were not removed. */
  countAttached(): Promise<number> {
    return this.queryNumber(statements.countAttached, [], 'count');
  }

  /** Whether any of the scopes has the maximum number of evidence names and none of them is this one. */
  async isAnyScopeFull({ org, flow }: FlowReference, place: EvidencePlace): Promise<boolean> {
    const values = [org, flow, place.scopes, place.evidence, place.maximumNames];
    const countsFor = countsForColumn(place);
    const full =
      countsFor === null
        ? await this.query(statements.isFull, values)
        : await this.query(statements.isLimitedFull, [...values, countsFor]);
    return full.length > 0;
  }
}

const summaryFields = {
  ...{ org: text, flow: text, sequence: number, trail: text, id: text, name: text, type: toType, reason: text },
  verdict: oneOf<Verdict>(['compliant', 'non-compliant', 'incomplete']),
  ...{ faults: json, facts: optionalJson, createdAt: number, reportedBy: text },
  ...{ countsFor: optionalJson, recorders: optionalJson, attachment: toAttachment },
};

const toLatest = toRecord<LatestAttestation>({ sequence: number, createdAt: number });

const toSummary = toRecord<AttestationSummary>(summaryFields);

const toLocatedSummary = toRecord<LocatedSummary>({
  ...summaryFields,
  about: (row) => ({ commit: text(row, 'trail_commit'), repository: optionalText(row, 'trail_repository') }),
});

/** Converts a row with `summaryColumns` and its document. */
export const toAttestation = toRecord<Attestation>({ ...summaryFields, document });

export class AttestationWriter extends AttestationReader {
  /** Inserts the attestation and binds it to its scopes. Its trail must exist. */
  async insert(attestation: NewAttestation): Promise<void> {
    const { org, flow, sequence, trail, id, name, type, verdict, reason, createdAt, reportedBy } = attestation;
    const { attachment, documentJson, isStepBack, scopes, evidence, requestKey } = attestation;
    const { filename = null, digest = null, size = null } = attachment ?? {};
    const faults = attestation.faults.length === 0 ? null : JSON.stringify(attestation.faults);
    const facts = attestation.facts === undefined ? null : JSON.stringify(attestation.facts);
    const countsFor = countsForColumn(attestation);
    const bound = [org, flow, scopes, sequence];
    await Promise.all([
      this.run(statements.insert, [
        ...[org, flow, sequence, trail, id, name, type, verdict, reason, faults, facts, createdAt, reportedBy],
        ...[countsFor, recordersColumn(attestation), filename, digest, size, documentJson, Number(isStepBack)],
        ...[requestKey?.key ?? null, requestKey?.digest ?? null],
      ]),
      this.run(statements.bind, bound),
      // Evidence that counts only for some environments replaces only evidence that counts for the same ones.
      countsFor === null
        ? this.run(statements.setCurrent, [...bound, evidence])
        : this.run(statements.setLimited, [...bound, evidence, countsFor]),
      this.#setOfRecorders(attestation),
    ]);
  }

  /** Makes it the latest of each of its recorders. Without a commit that is known, it counts for no requirement. */
  async #setOfRecorders({ org, flow, scopes, sequence, evidence, recorders = [] }: NewAttestation): Promise<void> {
    const counting = recorders.filter(({ commit }) => commit !== '');
    const set = counting.map(({ id, commit = '*' }) =>
      this.run(statements.setOfRecorder, [org, flow, scopes, sequence, evidence, id, commit]),
    );
    await Promise.all(set);
  }
}

/**
 * Converts a row with `summaryColumns`, and those that say what the attestation is about: `fingerprint`, `targets`
 * (JSON), `commit_sha` and `commit_url`.
 */
const toAttestationWithSubject = toRecord<AttestationWithSubject>({
  ...{ ...summaryFields, fingerprint: optionalText, targets: json, commit: toCommit },
});

function toType(row: Row): string {
  const type = text(row, 'type');
  if (findKind(type) === undefined) throw new TypeError('a stored attestation is damaged');
  return type;
}

/** Only some statements select the removal. */
function toAttachment(row: Row): Attachment | undefined {
  const digest = optionalText(row, 'attachment_digest');
  if (digest === undefined) return undefined;
  const removedAt = 'removed_at' in row ? optionalNumber(row, 'removed_at') : undefined;
  const removal = optional(removedAt, (at) => ({
    ...{ at, by: text(row, 'removed_by'), reason: text(row, 'removal_reason') },
  }));
  return { filename: text(row, 'attachment_filename'), digest, size: number(row, 'attachment_size'), removal };
}
