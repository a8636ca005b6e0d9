import { summaryColumns } from '../rows.ts';

// Queries that several statements contain. `$1` is the organization, `$2` the flow. `LIMIT` and `OFFSET` in subqueries make
// the planner look up each row of the list, instead of reading the whole table.

/** The attestations of the sequence numbers in a list; the columns of `summaryColumns`, the document and its digest. */
export const joinAttestations = (list: string): string => `CROSS JOIN LATERAL (
      SELECT ${summaryColumns}, a.document, a.request_digest FROM attestations a
      WHERE a.org = $1 AND a.flow = ${list}.flow AND a.sequence = ${list}.sequence LIMIT 1
    ) a`;

/** The current evidence in each of the scopes: the scope, the flow and the sequence number. */
export const selectCurrent = (scopes: string): string => `
      SELECT s.scope, c.flow, c.sequence FROM unnest(${scopes}::text[]) AS s (scope) CROSS JOIN LATERAL (
        SELECT flow, sequence FROM current_evidence WHERE org = $1 AND flow = $2 AND scope = s.scope OFFSET 0
      ) c`;

/** The latest attestations that are bound to any of the scopes, newest first: the flow and the sequence number. */
export const selectBound = (scopes: string, limit: string): string => `
      SELECT DISTINCT b.flow, b.sequence FROM unnest(${scopes}::text[]) AS s (scope) CROSS JOIN LATERAL (
        SELECT flow, sequence FROM bindings WHERE org = $1 AND flow = $2 AND scope = s.scope
        ORDER BY sequence DESC LIMIT ${limit}
      ) b ORDER BY b.sequence DESC LIMIT ${limit}`;

/** Where an artifact runs, then where it ran, each newest first. */
export const selectAppearances = (fingerprint: string, limit: string): string => `
    SELECT a.environment, a.started, a.started_at, a.exited, a.exited_at, e.latest FROM appearances a
    CROSS JOIN LATERAL (SELECT latest FROM environments WHERE org = $1 AND name = a.environment LIMIT 1) e
    WHERE a.org = $1 AND a.fingerprint = ${fingerprint}
    ORDER BY a.exited IS NOT NULL, a.started_at DESC, a.environment LIMIT ${limit}`;
