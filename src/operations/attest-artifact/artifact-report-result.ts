import type { GitCommitInfo } from '../../contract/commit.ts';
import { commitFacts } from '../commit-facts.ts';
import { type KeptEvidence, withUndelivered } from '../deliver-evidence.ts';
import type { OperationOutcome, OperationResult } from '../operation.ts';
import { abbreviate, code, fact, listTable, plain, type Text } from '../report.ts';
import { summarizeList, withoutFullStop } from '../sentences.ts';
import type { ReportOutcome } from './report-artifacts.ts';

const maximumNamed = 5;

const maximumRows = 100;

interface Reports {
  readonly flow: string;
  readonly trail: string;
  readonly trailPageUrl: string;
  readonly commit: GitCommitInfo;
  readonly reported: readonly ReportOutcome[];
}

/** The result of reporting artifacts: which of them are recorded, and why the others are not. */
export function createReportResult(reports: Reports): OperationResult {
  const { flow, trail, commit, reported } = reports;
  const responses = reported.flatMap(({ response }) => response ?? []);
  const page = responses.length === 0 ? undefined : reports.trailPageUrl;
  const rows = reported.slice(0, maximumRows).map(toRow);
  const [table] = listTable('Artifacts', ['Artifact', 'Fingerprint', 'State'], rows, reported.length);
  const result: OperationResult = {
    ...toOutcome(reported),
    conclusion: conclude(reports),
    response: reported.length === 1 ? responses[0] : reported.map(toResponseEntry),
    count: reported.filter(({ state }) => state === 'recorded').length,
    fingerprint: reported.map(({ fingerprint }) => fingerprint).join('\n'),
    htmlUrl: responses.find(({ html_url }) => html_url !== undefined)?.html_url ?? page,
    commits: [commit.sha1],
    report: {
      subject: reported.length === 1 ? `Artifact ${reported[0]?.filename ?? ''}` : `${reported.length} artifacts`,
      ...(table === undefined ? {} : { evidence: { table, notes: [] } }),
      facts: [...commitFacts(commit), ...fact('Flow', flow), ...fact('Trail', trail, page)],
      copies: reported
        .slice(0, maximumRows)
        .map(({ filename, fingerprint }) => ({ label: filename, text: fingerprint })),
    },
  };
  return withUndelivered(result, { kept: combineKept(reported.flatMap(({ kept }) => kept ?? [])) });
}

function toOutcome(reported: readonly ReportOutcome[]): OperationOutcome {
  const failure = reported.find((one) => one.failure !== undefined)?.failure;
  return failure === undefined ? { outcome: 'done' } : { outcome: 'error', failure };
}

function conclude({ flow, trail, commit, reported }: Reports): string {
  const place = `in flow ${flow}, trail ${trail === commit.sha1 ? abbreviate(trail) : trail}`;
  const recorded = reported.filter(({ state }) => state === 'recorded');
  const others = reported.filter(({ state }) => state !== 'recorded');
  const names = (some: readonly ReportOutcome[]): string =>
    summarizeList(
      some.map(({ filename }) => filename),
      maximumNamed,
      { separator: ', ' },
    );
  if (others.length === 0) {
    const what = recorded.length === 1 ? 'Artifact' : `${recorded.length} artifacts:`;
    return `${what} ${names(recorded)} ${recorded.length === 1 ? 'is' : 'are'} recorded ${place}.`;
  }
  const done =
    recorded.length === 0
      ? `No artifact is recorded ${place}`
      : `${recorded.length} of ${reported.length} artifacts ${recorded.length === 1 ? 'is' : 'are'} recorded ${place}: ${names(recorded)}`;
  const why = others.flatMap(({ failure }) => (failure === undefined ? [] : [withoutFullStop(failure.message)]));
  const because = why.length === 0 ? '' : `, because ${why.join('; ')}`;
  return `${done}. Not recorded: ${names(others)}${because}.`;
}

/** Several items as one, for the report. */
function combineKept(kept: readonly KeptEvidence[]): KeptEvidence | undefined {
  const [first] = kept;
  if (first === undefined) return undefined;
  const items = kept.map(({ item }) => item);
  return { ...first, item: summarizeList(items, maximumNamed, { separator: ', ' }) };
}

function toRow({ filename, fingerprint, state }: ReportOutcome): readonly Text[] {
  const marks: Readonly<Record<ReportOutcome['state'], string>> = {
    recorded: '✅ recorded',
    kept: '⏳ kept',
    failed: '❌ not recorded',
    'not sent': '⬜ not sent',
  };
  return [plain(filename), code(abbreviate(fingerprint)), plain(marks[state])];
}

function toResponseEntry({ filename, fingerprint, state, response }: ReportOutcome): Readonly<Record<string, unknown>> {
  return { filename, fingerprint, state, ...(response === undefined ? {} : { response }) };
}
