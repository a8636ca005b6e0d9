import type { Prepared } from './statements.ts';

/** Up to so many artifacts a trail is looked through for what runs, and beyond it what runs is looked through for it. */
export const mostOfSmallTrail = 100;

/** The statements about environments and their snapshots. */
export const environmentTexts = {
  hasEnvironment: 'SELECT 1 FROM environments WHERE org = ? AND name = ?',
  findEnvironment: 'SELECT * FROM environments WHERE org = ? AND name = ?',
  saveEnvironment: `INSERT INTO environments (org, name, kind, description, created_at, last_modified_at)
    VALUES (?1, ?2, ?3, coalesce(?4, ''), ?5, ?5)
    ON CONFLICT DO UPDATE SET description = coalesce(?4, description), last_modified_at = ?5`,

  membersOf: 'SELECT member FROM environment_members WHERE org = ? AND environment = ? ORDER BY member',
  memberNumbers: `SELECT m.member, e.latest FROM environment_members m
    JOIN environments e ON e.org = m.org AND e.name = m.member
    WHERE m.org = ? AND m.environment = ? AND e.latest > 0 ORDER BY m.member`,
  showing: 'SELECT environment FROM environment_members WHERE org = ? AND member = ? ORDER BY environment',
  removeMembers: 'DELETE FROM environment_members WHERE org = ? AND environment = ?',
  addMember: 'INSERT INTO environment_members (org, environment, member) VALUES (?, ?, ?)',

  policiesOf: 'SELECT policy FROM environment_policies WHERE org = ? AND environment = ? ORDER BY policy',
  rulesOf: `SELECT v.policy, v.version, v.rules FROM environment_policies a
    JOIN policies p ON p.org = a.org AND p.name = a.policy
    JOIN policy_versions v ON v.org = p.org AND v.policy = p.name AND v.version = p.latest
    WHERE a.org = ? AND a.environment = ? ORDER BY v.policy`,
  hasPolicies: 'SELECT 1 FROM environment_policies WHERE org = ? LIMIT 1',
  attach: 'INSERT INTO environment_policies (org, environment, policy) VALUES (?, ?, ?)',
  detach: 'DELETE FROM environment_policies WHERE org = ? AND environment = ? AND policy = ?',

  addSnapshot: `INSERT INTO snapshots (org, environment, number, made_at, compliant, judgement, content, stepped_back)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  setLatest: 'UPDATE environments SET latest = ? WHERE org = ? AND name = ?',
  findSnapshot: 'SELECT * FROM snapshots WHERE org = ? AND environment = ? AND number = ?',
  setContent: 'UPDATE snapshots SET content = ? WHERE org = ? AND environment = ? AND number = ?',
  listSnapshots: `SELECT number, made_at, compliant FROM snapshots
    WHERE org = ? AND environment = ? AND number BETWEEN ? AND ? ORDER BY number`,
  timeOfSnapshot: 'SELECT made_at FROM snapshots WHERE org = ? AND environment = ? AND number = ?',
  stepsBack: `SELECT number FROM snapshots WHERE org = ? AND environment = ? AND stepped_back = 1 ORDER BY number`,

  findVerdict: 'SELECT compliant FROM snapshots WHERE org = ? AND environment = ? AND number = ?',
  // The length is known without reading the content.
  sizeOfMembers: `SELECT coalesce(sum(octet_length(s.content)), 0) AS size FROM json_each(?1) m
    JOIN snapshots s ON s.org = ?2 AND s.environment = m.value ->> 'environment' AND s.number = m.value ->> 'number'`,

  addPending: `INSERT INTO pending_snapshots (org, environment, since, forced) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET since = excluded.since, forced = max(forced, excluded.forced)`,
  findPending: 'SELECT * FROM pending_snapshots WHERE org = ? AND environment = ?',
  removePending: 'DELETE FROM pending_snapshots WHERE org = ? AND environment = ?',
  pendingFor: `SELECT environment FROM pending_snapshots
      WHERE org = ?1 AND environment IN (SELECT member FROM environment_members WHERE org = ?1 AND environment = ?2)
    UNION ALL SELECT environment FROM pending_snapshots WHERE org = ?1 AND environment = ?2`,
  nextPending: `SELECT org, environment FROM pending_snapshots WHERE (org, environment) > (?, ?)
    ORDER BY org, environment LIMIT 1`,

  // All artifacts at once: a statement for each takes half as long again.
  start: `INSERT INTO appearances (org, fingerprint, environment, started, started_at)
    SELECT ?, m.value, ?, ?, ? FROM json_each(?) m`,
  // By the index of what runs now: an artifact can have come and gone any number of times.
  exit: `UPDATE appearances INDEXED BY appearances_now SET exited = ?, exited_at = ?
    WHERE org = ? AND environment = ? AND exited IS NULL AND fingerprint IN (SELECT m.value FROM json_each(?) m)`,
  whereFingerprintRuns: `SELECT DISTINCT environment FROM appearances
    WHERE org = ? AND fingerprint = ? AND exited IS NULL`,
  isLargeTrail: `SELECT 1 FROM artifacts WHERE org = ? AND flow = ? AND trail = ? LIMIT 1 OFFSET ${mostOfSmallTrail}`,
  // A trail is usually one commit and holds few artifacts, so it goes first.
  whereTrailRuns: `SELECT DISTINCT a.environment FROM artifacts r CROSS JOIN appearances a
    WHERE r.org = ?1 AND r.flow = ?2 AND r.trail = ?3
      AND a.org = ?1 AND a.fingerprint = r.fingerprint AND a.exited IS NULL`,
  // A large trail or a flow can hold any number of artifacts and an environment runs few, so the latter go first.
  whereLargeTrailRuns: `SELECT DISTINCT a.environment FROM appearances a WHERE a.org = ?1 AND a.exited IS NULL
    AND EXISTS (SELECT 1 FROM artifacts r
      WHERE r.org = ?1 AND r.flow = ?2 AND r.trail = ?3 AND r.fingerprint = a.fingerprint)`,
  whereFlowRuns: `SELECT DISTINCT a.environment FROM appearances a WHERE a.org = ?1 AND a.exited IS NULL
    AND EXISTS (SELECT 1 FROM artifacts r WHERE r.org = ?1 AND r.flow = ?2 AND r.fingerprint = a.fingerprint)`,

  // The rows of this table are numbered in the order of recording, across all flows.
  latestReportOf: 'SELECT * FROM artifacts WHERE org = ? AND fingerprint = ? ORDER BY rowid DESC LIMIT 1',
  // The latest report of each flow that knows the fingerprint. Flows go first, so that no other artifact is looked at.
  reportsOf: `SELECT r.* FROM (
      SELECT flow, max(sequence) AS sequence FROM artifacts WHERE org = ?1 AND fingerprint = ?2 GROUP BY flow
    ) l CROSS JOIN artifacts r ON r.org = ?1 AND r.flow = l.flow AND r.sequence = l.sequence ORDER BY l.flow`,
} as const;

/** The statements about environments and their snapshots, prepared. */
export type EnvironmentStatements = Prepared<typeof environmentTexts>;
