import type { ClientBase } from 'pg';
import type { Filling } from '../filled-service.ts';

/**
 * Copies the only attestation and the only artifact of a flow, until it has as many records as if they had been recorded
 * one by one. A million take about a minute.
 */
export async function multiplyRecords(
  client: ClientBase,
  { org, flow }: { readonly org: string; readonly flow: string },
  { attestations, artifacts }: Filling,
): Promise<void> {
  // The rows are copies, so no foreign key needs to be checked.
  await client.query('SET session_replication_role = replica');
  const trails = Math.max(Math.ceil(attestations / 10), artifacts);
  await client.query(insertTrails, [org, flow, trails]);
  for (const statement of [insertAttestations, insertBindings])
    await client.query(statement, [org, flow, attestations]);
  await client.query(insertCurrent, [org, flow, attestations]);
  await client.query(insertArtifacts, [org, flow, artifacts]);
  await client.query('RESET session_replication_role');
  // As the server does by itself within a minute.
  await client.query('VACUUM ANALYZE');
}

const insertTrails = `INSERT INTO trails (org, flow, name, created_at)
  SELECT org, flow, 'trail-' || n, created_at FROM trails CROSS JOIN generate_series(1, $3::integer - 1) AS n
  WHERE org = $1 AND flow = $2 AND name = 'trail-0'`;

const newId = (
  digit: string,
): string => `lpad(to_hex(floor(created_at)::bigint), 8, '0') || '-${digit}000-0000-0000-' ||
      lpad(to_hex(n), 8, '0')`;

const insertAttestations = `INSERT INTO attestations (org, flow, sequence, trail, id, name, type, verdict, reason,
    created_at, reported_by, document)
  SELECT org, flow, n, 'trail-' || (n - 1) / 10, ${newId('a')}, name, type, verdict, reason,
    created_at + (n - 1) * 0.01, reported_by, document
  FROM attestations CROSS JOIN generate_series(2, $3::integer) AS n WHERE org = $1 AND flow = $2 AND sequence = 1`;

const insertBindings = `INSERT INTO bindings (org, flow, scope, sequence)
  SELECT $1, $2, 'trail/trail-' || (n - 1) / 10, n FROM generate_series(2, $3::integer) AS n`;

const insertCurrent = `INSERT INTO current_evidence (org, flow, scope, name, sequence)
  SELECT org, flow, 'trail/trail-' || n, name, least(n * 10 + 10, $3::integer)
  FROM current_evidence CROSS JOIN generate_series(0, ($3::integer - 1) / 10) AS n
  WHERE org = $1 AND flow = $2 AND scope = 'trail/trail-0'
  ON CONFLICT (org, flow, scope, name) DO UPDATE SET sequence = excluded.sequence`;

const insertArtifacts = `INSERT INTO artifacts (org, flow, sequence, trail, id, fingerprint, created_at, reported_by, report)
  SELECT org, flow, n, 'trail-' || n - 1, ${newId('b')}, f.digits, created_at, reported_by,
    replace(replace(report, fingerprint, f.digits), '"trail-0"', '"trail-' || n - 1 || '"')
  FROM artifacts CROSS JOIN generate_series(2, $3::integer) AS n
  CROSS JOIN LATERAL (SELECT encode(sha256(('artifact ' || n - 1)::bytea), 'hex') AS digits) AS f
  WHERE org = $1 AND flow = $2 AND sequence = 1`;
