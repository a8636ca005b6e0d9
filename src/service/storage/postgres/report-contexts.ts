import type { RecordedSummary } from '../attestations.ts';
import type { ContextLimits, ReportContext, ReportContextReader, ReportPlace } from '../report-contexts.ts';
import { number, summaryColumns, text, toAppearance, type Row } from '../rows.ts';
import { toRecordedSummary } from '../rows/attestations.ts';
import { toFileTemplate } from '../rows/trails.ts';
import { selectAppearances, selectBound, selectCurrent } from './evidence-queries.ts';
import type { Session } from './session.ts';
import { defineStatements } from './statements.ts';

/** One value with all rows of a query as JSON, so that a statement can return the rows of several queries. */
const asJson = (query: string): string => `(SELECT coalesce(json_agg(r), '[]') FROM (${query}) r)`;

const statements = defineStatements('report_contexts', {
  // What counts now is usually among the latest, and is read with them.
  read: `WITH current AS MATERIALIZED (${selectCurrent('$4')}), bound AS MATERIALIZED (${selectBound('$4', '$5')})
    SELECT (SELECT template FROM trail_templates WHERE org = $1 AND flow = $2 AND trail = $3) AS template,
      ${asJson('SELECT scope, sequence FROM current')} AS current,
      ${asJson('SELECT sequence FROM bound')} AS history,
      ${asJson(`SELECT ${summaryColumns} FROM attestations a WHERE a.org = $1 AND a.flow = $2 AND a.sequence = ANY (
        ARRAY(SELECT sequence FROM current UNION ALL SELECT sequence FROM bound)
      )`)} AS attestations,
      ${asJson(selectAppearances('$6', '$7'))} AS appearances`,
});

/** Reads contexts of reports from PostgreSQL, each with one statement. */
export class PostgresReportContextReader implements ReportContextReader {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async read({ org, flow, trail, fingerprint, scopes }: ReportPlace, limits: ContextLimits): Promise<ReportContext> {
    const values = [org, flow, trail, scopes, limits.history, fingerprint, limits.appearances];
    const [row = {}] = await this.#session.query(statements.read, values);
    const attestations = rowsIn(row, 'attestations').map(toRecordedSummary);
    const bySequence = new Map(attestations.map((attestation) => [attestation.sequence, attestation]));
    const attestationOf = (listed: Row): RecordedSummary => {
      const attestation = bySequence.get(number(listed, 'sequence'));
      if (attestation === undefined) throw new TypeError('a listed attestation does not exist');
      return attestation;
    };
    const current = Map.groupBy(rowsIn(row, 'current'), (listed) => text(listed, 'scope'));
    return {
      template: row['template'] === null ? undefined : toFileTemplate(row),
      current: new Map([...current].map(([scope, listed]) => [scope, listed.map(attestationOf)])),
      history: rowsIn(row, 'history').map(attestationOf),
      appearances: rowsIn(row, 'appearances').map(toAppearance),
    };
  }
}

/** The rows in a column of `asJson`. */
function rowsIn(row: Row, column: string): readonly Row[] {
  const value = row[column];
  if (!Array.isArray(value)) throw new TypeError(`column ${column} holds no list`);
  return value as readonly Row[];
}
