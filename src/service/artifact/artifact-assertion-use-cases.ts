import type { AssertionScope } from '../../contract/artifact-assertion.ts';
import { worstVerdict } from '../../contract/compliance.ts';
import { verdictFromReasons } from '../../contract/reason.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import { type Audience, describeAudience } from '../account/audience.ts';
import { describeReasons, type JudgementReason, orderReasons } from '../attestation/reasons.ts';
import type { ReadTransaction } from '../platform/database/storage.ts';
import { listRules } from '../platform/judging/environment-rules.ts';
import { type JudgingContext, readJudging } from '../platform/judging/judging.ts';
import { type JudgedReport, judgeListedReports } from '../platform/judging/provenance.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import {
  describeAnnounced,
  evaluatePolicies,
  listPolicyReasons,
  type PolicyEvaluation,
} from '../policy/judge-environment.ts';
import { nameWithFlow } from '../policy/judged-artifact.ts';
import type { AttachedRules } from '../policy/policy-records.ts';
import { JudgementBudget } from '../requirement/judgement-budget.ts';

export interface AssertionQuery {
  readonly org: string;
  readonly fingerprint: string;
  readonly flow?: string | undefined;
  /** Judge it by the policies of this environment. */
  readonly environment?: string | undefined;
  /** Judge it by these policies. Not together with an environment. */
  readonly policies?: readonly string[] | undefined;
}

export interface Assertion {
  readonly outcome: 'judged';
  readonly scope: AssertionScope;
  readonly compliant: boolean;
  /** The verdict and the reason for it, as sentences. */
  readonly info: string;
  /** Why it is not compliant, the worst first; empty if it is. */
  readonly reasons: readonly JudgementReason[];
  /** One for each policy; undefined if the artifact was judged by its flows. */
  readonly policies: readonly PolicyEvaluation[] | undefined;
  /** The artifact in the named flow, or in all flows that have it. */
  readonly reports: readonly [JudgedReport, ...JudgedReport[]];
}

export type AssertionObstacle =
  | { readonly outcome: 'flow not found' | 'artifact not found' | 'environment not found' }
  | { readonly outcome: 'policy not found'; readonly policy: string };

/**
 * Judges an artifact: by its state in its flows; by the policies of an environment, as if it ran there; or by given
 * policies. All of it is decided by the same code as the state of an artifact and the verdict of an environment.
 */
export function assertArtifact(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>,
  query: AssertionQuery,
): Promise<Assertion | AssertionObstacle> {
  return readJudging(dependencies, async (transaction, context) => {
    const { org, flow, fingerprint } = query;
    const at = unixSeconds(dependencies.now());
    if (flow !== undefined && !(await transaction.flows.exists(org, flow))) return { outcome: 'flow not found' };
    const judges = await findJudges(transaction, query);
    if (judges !== undefined && 'outcome' in judges) return judges;
    const latest = await transaction.artifacts.listLatestByFlow(org, [fingerprint]);
    const all = await judgeListedReports(transaction, { org, at }, latest.get(fingerprint) ?? []);
    const [first, ...others] = selectFlow(all, flow);
    if (first === undefined) return { outcome: 'artifact not found' };
    const known = [first, ...others] as const;
    if (judges === undefined) return { outcome: 'judged', scope: 'flow', ...concludeFlows(known), reports: known };
    const judged = await judgeByPolicies(transaction, { ...context, at }, judges, {
      query,
      known,
    });
    const scope = query.environment === undefined ? 'policy' : 'environment';
    return { outcome: 'judged', scope, ...judged };
  });
}

/** Judges the artifact for each audience by the reports and evidence that count for it. */
async function judgeByPolicies(
  transaction: ReadTransaction,
  { at, ...context }: JudgingContext & { readonly at: number },
  judges: readonly Judge[],
  { query, known }: { readonly query: AssertionQuery; readonly known: Assertion['reports'] },
): Promise<Omit<Assertion, 'outcome' | 'scope'>> {
  const { org, fingerprint, flow, environment } = query;
  const fallback = latestOf(known).details.artifact.report.filename;
  const evaluations: PolicyEvaluation[] = [];
  const obstacles: JudgementReason[] = [];
  const allowed: string[] = [];
  let reports = known;
  for (const { audience, rules } of judges) {
    const latest = await transaction.artifacts.listLatestByFlow(org, [fingerprint], audience);
    const compiled = compile(rules, context);
    const recorders = compiled.flatMap(({ compiled: { recorders: named } }) => named);
    const reported = latest.get(fingerprint) ?? [];
    const flows = await judgeListedReports(transaction, { org, at }, reported, { ...audience, recorders });
    const [first, ...others] = flows;
    // Whoever reports an artifact chooses its name, which can except it from a rule.
    const name = first === undefined ? fallback : latestOf([first, ...others]).details.artifact.report.filename;
    const uncounted = describeAudience(audience);
    const isAllowed = await transaction.allowList.isAllowed({ org, ...audience, fingerprint });
    if (isAllowed) allowed.push(`It is allowed in ${uncounted}.`);
    if (!isAllowed && selectFlow(flows, audience.environment === environment ? flow : undefined).length === 0) {
      const where = flow === undefined ? '' : ` to flow ${flow}`;
      const value = `reported${where} only with keys that do not count for ${uncounted}`;
      obstacles.push({ state: 'missing', about: name, value });
    }
    const [shown, ...more] = selectFlow(flows, flow);
    if (audience.environment === environment && shown !== undefined) reports = [shown, ...more];
    const artifact = { name, fingerprint, flows, isAllowed, ...(first === undefined ? { uncounted } : {}) };
    evaluations.push(...evaluatePolicies(compiled, artifact, at, new JudgementBudget(context.matches)));
  }
  const policies = mergeEvaluations(evaluations);
  const { filename } = latestOf(reports).details.artifact.report;
  const { info, ...conclusion } = concludePolicies(policies, obstacles, query, filename);
  return { ...conclusion, info: [info, ...allowed].join(' '), policies, reports };
}

/** The verdict in words: the reason for it, and what will break it later. */
export function describeAssertion({ info, policies = [] }: Pick<Assertion, 'info' | 'policies'>): string {
  return [info, ...describeAnnounced(policies)].join(' ');
}

function selectFlow(reports: readonly JudgedReport[], flow: string | undefined): readonly JudgedReport[] {
  return flow === undefined ? reports : reports.filter((report) => report.flow === flow);
}

/** One evaluation for each policy: that for the environment for which it complies least. */
function mergeEvaluations(evaluations: readonly PolicyEvaluation[]): readonly PolicyEvaluation[] {
  const byPolicy = Map.groupBy(evaluations, ({ policy }) => policy);
  return [...byPolicy.values()].flatMap((ofPolicy) => {
    const verdicts = ofPolicy.map((one) => verdictFromReasons(listPolicyReasons([one], { name: '' })));
    const worst = worstVerdict(verdicts);
    return ofPolicy.find((_, index) => verdicts[index] === worst) ?? [];
  });
}

/** Rules, and whose verdict they decide. */
interface Judge {
  readonly audience: Audience;
  readonly rules: readonly AttachedRules[];
}

/** The environments by whose policies an environment judges artifacts: its own, and those of its members. */
export async function listJudgingEnvironments(
  transaction: Pick<ReadTransaction, 'environments' | 'policies'>,
  query: { readonly org: string; readonly environment: string },
): Promise<readonly string[]> {
  const judges = await findJudges(transaction, query);
  if (judges === undefined || 'outcome' in judges) return [];
  return judges.flatMap(({ audience }) => audience.environment ?? []);
}

/** The rules to judge by; undefined if the artifact is judged by its flows. */
async function findJudges(
  { environments, policies }: Pick<ReadTransaction, 'environments' | 'policies'>,
  { org, environment, policies: names = [] }: Pick<AssertionQuery, 'org' | 'environment' | 'policies'>,
): Promise<readonly Judge[] | AssertionObstacle | undefined> {
  if (environment !== undefined) {
    const found = await environments.find(org, environment);
    if (found === undefined) return { outcome: 'environment not found' };
    const heads = await environments.findHeads(org, [environment, ...found.members]);
    const judges: Judge[] = [];
    for (const name of [environment, ...found.members]) {
      const isMember = name !== environment;
      const head = heads.get(name);
      // An archived member no longer judges.
      const rules = head === undefined || (isMember && head.isArchived) ? [] : await listRules({ policies }, head);
      if (rules.length > 0) judges.push({ audience: { environment: name, isMember }, rules });
    }
    return judges;
  }
  if (names.length === 0) return undefined;
  const wanted = [...new Set(names)];
  const found = await policies.listLatest(org, wanted);
  const missing = wanted.find((name) => found.every((rules) => rules.name !== name));
  if (missing !== undefined) return { outcome: 'policy not found', policy: missing };
  return [{ audience: { environment: undefined }, rules: found }];
}

function compile(
  attached: readonly AttachedRules[],
  { policies }: Pick<JudgingContext, 'policies'>,
): Parameters<typeof evaluatePolicies>[0] {
  return attached.map(({ rules, ...policy }) => ({ ...policy, compiled: policies.compile(rules) }));
}

function latestOf(reports: readonly [JudgedReport, ...JudgedReport[]]): JudgedReport {
  return reports.reduce((latest, one) =>
    one.details.artifact.createdAt > latest.details.artifact.createdAt ? one : latest,
  );
}

type Conclusion = Pick<Assertion, 'compliant' | 'info' | 'reasons' | 'policies'>;

function concludeFlows(reports: Assertion['reports']): Conclusion {
  const sentences = reports.map(({ flow, state, info }) => `It is ${state} in the flow ${flow}. ${info}`);
  const compliant = reports.every(({ state }) => state === 'COMPLIANT');
  const reasons = reports.flatMap((report) =>
    report.reasons.map((reason) => ({ ...reason, about: nameWithFlow(reason.about, report.flow, reports) })),
  );
  return { compliant, info: sentences.join(' '), reasons: orderReasons(reasons), policies: undefined };
}

function concludePolicies(
  policies: readonly PolicyEvaluation[],
  obstacles: readonly JudgementReason[],
  { environment = '' }: AssertionQuery,
  name: string,
): Omit<Conclusion, 'policies'> {
  if (policies.length === 0) {
    const info = `The environment ${environment} has no policies, so there is nothing to judge the artifact by.`;
    return { compliant: false, info, reasons: [{ state: 'incomplete', about: environment, value: 'has no policies' }] };
  }
  const reasons = listPolicyReasons(policies, { name });
  const failing = policies.filter(({ compliant }) => !compliant).map(({ policy }) => policy);
  if (failing.length > 0) {
    const further = obstacles.filter((obstacle) => reasons.every(({ value }) => value !== obstacle.value));
    const info = `It does not comply with ${failing.join(', ')}.`;
    return { compliant: false, info, reasons: orderReasons([...reasons, ...further]) };
  }
  if (obstacles.length > 0) {
    return { compliant: false, info: describeReasons(obstacles), reasons: orderReasons(obstacles) };
  }
  return { compliant: true, info: `It complies with ${policies.map(({ policy }) => policy).join(', ')}.`, reasons };
}
