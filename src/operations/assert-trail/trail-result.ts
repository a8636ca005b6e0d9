import { describeFault, evidenceAnchor, type Reason } from '../../contract/reason.ts';
import type { JudgedTrail } from '../../contract/trail-reading.ts';
import { isFullSha } from '../../evidence/git/git-ref.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { commitFacts } from '../commit-facts.ts';
import { evidenceLabel, evidenceMark } from '../evidence-state.ts';
import { type JudgedSubjects, toJudgementResult } from '../judged-subjects.ts';
import type { ListedEvidence } from '../listed-evidence.ts';
import type { OperationContext, OperationResult } from '../operation.ts';
import { pollFacts, type PollTiming, timeoutNotice } from '../polling.ts';
import { fact, listTable, plain, type Report } from '../report.ts';
import { trailPageUrl } from '../trail-page-url.ts';
import type { TrailAnswer, TrailQuery } from './judge-trail.ts';
import { listTrailEvidence } from './trail-evidence.ts';

/** How many rows the table has at most. */
const maximumRows = 200;

/**
 * The result of the operation.
 *
 * @throws Failure if the trail could not be judged
 */
export function createTrailResult(
  judgement: JudgedSubjects<TrailAnswer>,
  { flow, trail: name }: TrailQuery,
  context: OperationContext,
): OperationResult {
  const { verdict, timing } = judgement;
  const trail = judgement.only?.settled.value?.trail;
  const { reasons, ...result } = toJudgementResult(judgement, `in flow ${flow}`, trail?.state_info);
  const page = trail === undefined ? undefined : (trail.html_url ?? trailPageUrl(context, flow, name));
  const waited = pollFacts(timing);
  const all = trail === undefined ? [] : listTrailEvidence(trail, reasons);
  const worst = all.find(({ label }) => label === reasons[0]?.about);
  return {
    ...result,
    response: trail ?? { flow, trail: name, verdict, reasons },
    htmlUrl: page === undefined || worst === undefined ? page : `${page}#${evidenceAnchor(worst.label)}`,
    commits: listCommits(trail, name),
    report: {
      subject: `Trail ${name}`,
      reasons,
      ...toEvidence(all, reasons, timing),
      facts: [...fact('Flow', flow), ...fact('Trail', name, page), ...commitFacts(trail?.git_commit_info), ...waited],
    },
  };
}

/** The commit of the trail; undefined if neither the service nor the trail's name says it. */
function listCommits(trail: JudgedTrail | undefined, name: string): readonly string[] | undefined {
  const commit = trail?.git_commit_info?.sha1 ?? '';
  if (commit !== '') return [commit];
  return isFullSha(name) ? [name] : undefined;
}

/** Whether it only has the name of what is required; it is then told in the row of that. */
function isMistyped({ label, state, isExtra }: ListedEvidence, all: readonly ListedEvidence[]): boolean {
  return isExtra && state === 'compliant' && all.some((one) => one.label === label && one.state === 'missing');
}

function describeState(
  { label, type, state, isExtra }: ListedEvidence,
  all: readonly ListedEvidence[],
  reasons: readonly Reason[],
): string {
  const recorded = state === 'missing' ? all.find((one) => one.label === label && one.isExtra) : undefined;
  if (recorded === undefined) return evidenceLabel(state, isExtra);
  // If the type is right, it does not count for another reason, such as who recorded it.
  const isOfType = recorded.type === type || type === '*';
  const reason = isOfType ? reasons.find((one) => one.about === label && one.state === state) : undefined;
  const { value, limit } = reason ?? { value: `recorded as ${recorded.type}`, limit: `${type} is required` };
  return `${evidenceMark('mismatched')} ${describeFault({ value, ...omitUndefined({ limit }) })}`;
}

function toEvidence(
  all: readonly ListedEvidence[],
  reasons: readonly Reason[],
  timing: PollTiming,
): Pick<Report, 'evidence'> {
  const shown = all.filter((one) => !isMistyped(one, all));
  const rows = shown
    .slice(0, maximumRows)
    .map((one) => [plain(one.label), plain(one.type), plain(describeState(one, all, reasons))]);
  const [table] = listTable('Evidence', ['Evidence', 'Type', 'State'], rows, shown.length);
  return table === undefined ? {} : { evidence: { table, notes: timeoutNotice(timing) } };
}
