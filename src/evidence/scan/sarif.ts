import type { Finding, Severity, SeverityCounts } from '../../contract/attestations/snyk.ts';
import { severities } from '../../contract/names.ts';
import type { UserError } from '../../runtime/failure.ts';
import { truncate } from '../../runtime/truncate.ts';
import { isMapping, listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';
import type { JsonReport } from '../files/json-report.ts';
import { toRecordedText } from '../recorded-text.ts';
import { SarifRules } from './sarif-rules.ts';

// The sections in the comments are those of SARIF 2.1.0 (OASIS).

export interface ScanRun {
  /** The name and the version of the scanner; the version is empty if it is not known. */
  readonly tool: { readonly name: string; readonly version: string };
  readonly counts: SeverityCounts;
  /** The findings that are not suppressed, in the order of the file. */
  readonly findings: readonly RatedFinding[];
  /** Whether the file has a list of results; without one, the scanner may not have scanned (3.14.23). */
  readonly hasResults: boolean;
}

export interface RatedFinding {
  readonly severity: Severity;
  /** Creates the finding as it is recorded. Texts are cut, because a report can have thousands. */
  readonly describe: () => Finding;
}

/** The maximum number of runs, in one file and in an attestation. */
export const maximumRuns = 1000;

const versionRemedy = 'Let the scanner write SARIF 2.1.0.';

/** The maximum length of a recorded message, in characters. */
const maximumMessage = 2000;

/** The maximum length of an identifier and of a path, in characters. */
const maximumLine = 1000;

/** The maximum number of locations that are recorded for a finding. */
const maximumLocations = 5;

/** The maximum length of a value that is put into a message, in characters. */
const maximumArgument = 200;

/**
 * Reads the runs of a SARIF document.
 *
 * @throws UserError if it is not SARIF 2.1.0
 */
export function readSarif({ document, createError, createKindError }: JsonReport): readonly ScanRun[] {
  const version = valueAt(document, 'version');
  const runs = valueAt(document, 'runs');
  if (!Array.isArray(runs)) throw createKindError();
  if (typeof version !== 'string' || !/^2\.1\.0(?:$|-)/u.test(version)) {
    const words = version === undefined ? 'missing' : truncate(JSON.stringify(version), 40);
    throw createError(`: the version of SARIF is ${words}, and only 2.1.0 is read`, versionRemedy);
  }
  if (runs.length === 0)
    throw createError(' has no run of a scanner, so nothing was scanned', 'Check that the scanner ran.');
  if (runs.length > maximumRuns) throw createError(` has more than ${maximumRuns} runs`);
  return runs.map((run: unknown, index) =>
    readRun(run, (what, remedy) => createError(`: runs[${index}]${what}`, remedy)),
  );
}

function readRun(run: unknown, fail: JsonReport['createError']): ScanRun {
  const driver = valueAt(run, 'tool', 'driver');
  const name = textAt(driver, 'name');
  if (name === undefined) throw fail('.tool.driver.name is missing');
  if (listAt(run, 'externalPropertyFileReferences', 'results').length > 0)
    throw fail(' has its results in other files', 'Let the scanner write the results into the file itself.');
  // Findings may be missing, even if the run lists some (3.20.14).
  if (listAt(run, 'invocations').some((one) => valueAt(one, 'executionSuccessful') === false))
    throw fail(` of ${truncate(name, 60)} says that the scan failed`, 'Check the log of the scanner, and scan again.');
  const results = valueAt(run, 'results') ?? undefined;
  if (results !== undefined && !Array.isArray(results)) throw fail('.results must be a list');
  const version = textAt(driver, 'version') ?? textAt(driver, 'semanticVersion') ?? '';
  return {
    tool: { name: line(name), version: line(version) },
    ...readResults(results ?? [], run, fail),
    hasResults: results !== undefined,
  };
}

function readResults(
  results: readonly unknown[],
  run: unknown,
  fail: JsonReport['createError'],
): Pick<ScanRun, 'counts' | 'findings'> {
  const rules = new SarifRules(run);
  const counts = { critical: 0, high: 0, medium: 0, low: 0, suppressed: 0 };
  const findings: RatedFinding[] = [];
  for (const [index, result] of results.entries()) {
    if (!isMapping(result)) throw fail(`.results[${index}] must be an object`);
    const rule = rules.find(result);
    const refuse = (key: string, value: string): UserError =>
      fail(
        `.results[${index}] has the ${key} ${JSON.stringify(truncate(value, 40))}, which SARIF does not define`,
        versionRemedy,
      );
    const severity = isFinding(result, refuse) ? rate(result, rule, refuse) : undefined;
    if (severity === undefined) continue;
    if (isSuppressed(result)) counts.suppressed += 1;
    else {
      counts[severity] += 1;
      findings.push({ severity, describe: () => describe(result, rule, run) });
    }
  }
  return { counts, findings };
}

/** Creates the error for a kind or a level that SARIF does not define: guessing its meaning could hide a finding. */
type RefuseValue = (key: string, value: string) => UserError;

/** A rule was met, or someone has to look (3.27.9). */
const otherKinds: readonly string[] = ['pass', 'open', 'informational', 'notApplicable', 'review'];

/** An absent result was only in the baseline (3.27.24). */
function isFinding(result: unknown, refuse: RefuseValue): boolean {
  const kind = textAt(result, 'kind') ?? 'fail';
  if (kind !== 'fail' && !otherKinds.includes(kind)) throw refuse('kind', kind);
  return kind === 'fail' && valueAt(result, 'baselineState') !== 'absent';
}

/** A suppression without a status is accepted (3.27.23, 3.35.3). */
function isSuppressed(result: unknown): boolean {
  const statuses = listAt(result, 'suppressions').map((one) => valueAt(one, 'status'));
  return statuses.length > 0 && !statuses.includes('rejected') && !statuses.includes('underReview');
}

const levels: ReadonlyMap<string, Severity | undefined> = new Map([
  ['error', 'high'],
  ['warning', 'medium'],
  ['note', 'low'],
  ['none', undefined],
]);

/** The lowest score of each severity (CVSS 3.1, 5: qualitative severity rating scale). */
const leastScores: readonly (readonly [Severity, number])[] = [
  ['critical', 9],
  ['high', 7],
  ['medium', 4],
];

/**
 * Rates a result by the score of its rule. Many scanners write `warning` for everything, so the level counts only if
 * there is no score. Undefined if its level is `none`.
 */
function rate(result: unknown, rule: unknown, refuse: RefuseValue): Severity | undefined {
  const given = valueAt(rule, 'properties', 'security-severity');
  const score = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (typeof score === 'number' && score > 0) return leastScores.find(([, least]) => score >= least)?.[0] ?? 'low';
  const level = textAt(result, 'level') ?? textAt(rule, 'defaultConfiguration', 'level') ?? 'warning';
  if (!levels.has(level)) throw refuse('level', level);
  return levels.get(level);
}

function describe(result: unknown, rule: unknown, run: unknown): Finding {
  const locations = listAt(result, 'locations')
    .flatMap((one) => describeLocation(one, run))
    .slice(0, maximumLocations);
  const priority = valueAt(result, 'properties', 'priorityScore');
  const id = textAt(result, 'ruleId') ?? textAt(result, 'rule', 'id') ?? textAt(rule, 'id') ?? 'unknown';
  return {
    id: line(id),
    message: describeMessage(valueAt(result, 'message'), rule),
    ...(locations.length === 0 ? {} : { locations }),
    ...(typeof priority === 'number' ? { priority_score: priority } : {}),
  };
}

/** A message is a text, or names one of the texts of its rule (3.11). */
function describeMessage(message: unknown, rule: unknown): string {
  const text =
    textAt(message, 'text') ??
    textAt(rule, 'messageStrings', textAt(message, 'id') ?? '', 'text') ??
    textAt(message, 'markdown') ??
    textAt(rule, 'shortDescription', 'text') ??
    '';
  const values = listAt(message, 'arguments');
  const filled = truncate(text, maximumMessage).replaceAll(/\{(\d{1,3})\}/gu, (placeholder, index: string) => {
    const value = values[Number(index)];
    return typeof value === 'string' ? truncate(value, maximumArgument) : placeholder;
  });
  return toRecordedText(filled, maximumMessage);
}

function describeLocation(location: unknown, run: unknown): NonNullable<Finding['locations']> {
  const physical = valueAt(location, 'physicalLocation');
  const index = valueAt(physical, 'artifactLocation', 'index');
  const artifact = typeof index === 'number' ? listAt(run, 'artifacts')[index] : undefined;
  const uri = textAt(physical, 'artifactLocation', 'uri') ?? textAt(artifact, 'location', 'uri');
  if (uri === undefined) return [];
  const first = valueAt(physical, 'region', 'startLine');
  const last = valueAt(physical, 'region', 'endLine') ?? first;
  if (typeof first !== 'number' || typeof last !== 'number') return [{ uri: line(uri) }];
  return [{ uri: line(uri), lines: first === last ? String(first) : `${first}-${last}` }];
}

function line(text: string): string {
  return toRecordedText(text, maximumLine);
}

export function addCounts(all: readonly SeverityCounts[]): SeverityCounts {
  const sum = (key: keyof SeverityCounts): number => all.reduce((total, counts) => total + counts[key], 0);
  return {
    critical: sum('critical'),
    high: sum('high'),
    medium: sum('medium'),
    low: sum('low'),
    suppressed: sum('suppressed'),
  };
}

/** The findings, the worst first; those of the same severity in their order. */
export function worstFirst<Item extends { readonly severity: Severity }>(findings: readonly Item[]): readonly Item[] {
  return severities.flatMap((severity) => findings.filter((one) => one.severity === severity));
}
