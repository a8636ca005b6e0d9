import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { maximumEvidenceNames } from '../../../contract/limits.ts';
import { longestAppearances, longestHistory, longestTrailList } from '../store.ts';
import { summaryColumns } from './rows.ts';

// Limits are written out: SQLite compiles a statement anew for every value that is bound to a limit, and that takes longer
// than most of these statements.
const texts = {
  hasFlow: 'SELECT 1 FROM flows WHERE org = ? AND name = ?',
  findFlow: 'SELECT * FROM flows WHERE org = ? AND name = ?',

  makeTrail: 'INSERT INTO trails (org, flow, name, created_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  findTrail: 'SELECT * FROM trails WHERE org = ? AND flow = ? AND name = ?',

  latestAttestation: `SELECT sequence, created_at FROM attestations WHERE org = ? AND flow = ?
    ORDER BY sequence DESC LIMIT 1`,
  recordAttestation: `INSERT INTO attestations (org, flow, sequence, trail, id, name, type, verdict, reason, created_at,
      reported_by, attachment_filename, attachment_digest, attachment_size, document, stepped_back)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  bind: 'INSERT INTO bindings (org, flow, scope, sequence) VALUES (?, ?, ?, ?)',
  makeCurrent: `INSERT INTO current_evidence (org, flow, scope, name, sequence) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET sequence = excluded.sequence`,
  hasEvidence: 'SELECT 1 FROM current_evidence WHERE org = ? AND flow = ? AND scope = ? AND name = ?',
  hasMuchEvidence: `SELECT 1 FROM current_evidence WHERE org = ? AND flow = ? AND scope = ?
    LIMIT 1 OFFSET ${maximumEvidenceNames - 1}`,
  currentEvidence: `SELECT ${summaryColumns} FROM current_evidence c JOIN attestations a USING (org, flow, sequence)
    WHERE c.org = ? AND c.flow = ? AND c.scope = ?`,
  boundAttestations: `SELECT ${summaryColumns} FROM bindings b JOIN attestations a USING (org, flow, sequence)
    WHERE b.org = ? AND b.flow = ? AND b.scope = ? ORDER BY b.sequence DESC LIMIT ${longestHistory}`,
  attestationsOfTrail: `SELECT ${summaryColumns} FROM attestations a
    WHERE a.org = ? AND a.flow = ? AND a.trail = ? ORDER BY a.sequence DESC LIMIT ${longestTrailList}`,
  findAttestation: 'SELECT * FROM attestations WHERE org = ? AND id = ? AND flow = ? AND trail = ?',
  isAttached: 'SELECT 1 FROM attestations WHERE attachment_digest = ? LIMIT 1',
  countAttached: `SELECT count(DISTINCT attachment_digest) AS count FROM attestations
    WHERE attachment_digest IS NOT NULL`,

  nextArtifact: 'SELECT coalesce(max(sequence), 0) + 1 AS next FROM artifacts WHERE org = ? AND flow = ?',
  recordArtifact: `INSERT INTO artifacts (org, flow, sequence, trail, id, fingerprint, created_at, reported_by, report)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  artifactsOfTrail: `SELECT * FROM artifacts WHERE org = ? AND flow = ? AND trail = ?
    ORDER BY sequence DESC LIMIT ${longestTrailList}`,
  artifactOfId: `SELECT * FROM artifacts WHERE org = ? AND id = ? AND flow = ?`,
  latestArtifact: `SELECT * FROM artifacts WHERE org = ? AND flow = ? AND fingerprint = ?
    ORDER BY sequence DESC LIMIT 1`,
  latestArtifactOfTrail: `SELECT * FROM artifacts WHERE org = ? AND flow = ? AND trail = ? AND fingerprint = ?
    ORDER BY sequence DESC LIMIT 1`,
  appearancesOf: `SELECT a.*, e.latest FROM appearances a JOIN environments e ON e.org = a.org AND e.name = a.environment
    WHERE a.org = ? AND a.fingerprint = ? ORDER BY a.exited IS NOT NULL, a.started_at DESC, a.environment
    LIMIT ${longestAppearances}`,
  // Hex digits sort before `g`, so the range holds exactly what begins with the digits.
  fingerprintsLike: `SELECT DISTINCT fingerprint FROM artifacts
    WHERE org = ? AND flow = ? AND fingerprint >= ? AND fingerprint < ? || 'g'`,
  fingerprintsOfTrailLike: `SELECT DISTINCT fingerprint FROM artifacts
    WHERE org = ? AND flow = ? AND trail = ? AND fingerprint >= ? AND fingerprint < ? || 'g'`,
} as const;

/** The statements of the store, prepared once. */
export type Statements = Prepared<typeof texts>;

/** Prepares every statement of the store. */
export function prepareStatements(database: DatabaseSync): Statements {
  return prepare(database, texts);
}

/** Statements by their names. */
export type Prepared<Texts> = Readonly<Record<keyof Texts, StatementSync>>;

/** Prepares statements once; a fault in any of them shows at start. */
export function prepare<Texts extends Readonly<Record<string, string>>>(
  database: DatabaseSync,
  statements: Texts,
): Prepared<Texts> {
  const prepared = Object.entries(statements).map(([name, text]) => [name, database.prepare(text)] as const);
  return Object.fromEntries(prepared) as Prepared<Texts>;
}
