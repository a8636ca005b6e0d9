import type { GithubGate } from '../../contract/github-gate.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { ReportedArtifact } from '../artifact/artifact.ts';
import { assertArtifact, listJudgingEnvironments } from '../artifact/artifact-assertion-use-cases.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { loadTrailStates } from '../trail/trail-state-use-cases.ts';
import { findFirstEnd } from '../trail/trail-verdict-use-cases.ts';
import type { Answer, CheckSubject, DeploymentSubject } from './answer.ts';
import type { CommitVerdict } from './check-output.ts';
import type { ArtifactVerdict, JudgedDeployment } from './deployment-decision.ts';
import { waitSeconds } from './gate.ts';

/** The maximum number of trails of a commit that are judged; a further one is a fault. */
const maximumTrails = 50;
const maximumArtifacts = 100;

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>;

/** The gate that has the repository, by the same installation as the event. */
async function findGate(
  { storage }: Pick<Dependencies, 'storage'>,
  { org, repository, installationId }: Answer,
): Promise<GithubGate | undefined> {
  const gate = await storage.read(({ githubGates }) => githubGates.findOfRepository(org, repository.id));
  return gate?.installation_id === installationId ? gate : undefined;
}

/** Judges a commit in a flow; undefined if no gate has the repository and the flow. */
export async function judgeCommit(
  dependencies: Pick<Dependencies, 'storage' | 'now'>,
  answer: Answer,
  { flow: name, sha }: CheckSubject,
): Promise<CommitVerdict | undefined> {
  const { storage, now } = dependencies;
  const { org } = answer;
  const gate = await findGate(dependencies, answer);
  if (gate?.flows.includes(name) !== true) return undefined;
  return storage.read(async (transaction) => {
    const flow = await transaction.flows.find(org, name);
    const none = { org, flow: name, trails: [], required: [] } as const;
    if (flow === undefined)
      return { ...none, required: [{ state: 'missing', about: name, value: 'there is no such flow' }] };
    const begun = await transaction.trails.listByCommit(org, name, sha, maximumTrails + 1);
    const [first] = begun;
    // Otherwise further trails could hide one that fails.
    if (first !== undefined && begun.length > maximumTrails) {
      const value = `more than ${maximumTrails} trails have it`;
      const reason = { state: 'failed', about: 'this commit', value } as const;
      const judgement = { state: 'NON-COMPLIANT', info: value, reasons: [reason] } as const;
      return { ...none, trails: [{ name: first.name, judgement }] };
    }
    const at = unixSeconds(now());
    const loaded = await loadTrailStates(transaction, flow, begun, at);
    const trails = loaded.map(({ trail, judgement }) => ({ name: trail.name, judgement }));
    if (trails.length > 0) return { ...none, trails, changesAt: findFirstEnd(loaded) };
    const unbegun = { org, flow: name, name: sha, createdAt: at, lastModifiedAt: at, report: {} };
    const [lacking] = await loadTrailStates(transaction, flow, [unbegun], at);
    return { ...none, required: lacking?.judgement.reasons ?? [] };
  });
}

/** Judges the artifacts of a deployment; undefined if no gate has the repository. */
export async function judgeDeployment(
  dependencies: Dependencies,
  answer: Answer,
  { sha, environment: githubEnvironment }: DeploymentSubject,
): Promise<JudgedDeployment | undefined> {
  const { org, requestedAt } = answer;
  const gate = await findGate(dependencies, answer);
  if (gate === undefined) return undefined;
  const { environments: known } = gate;
  const environment = Object.hasOwn(known, githubEnvironment) ? known[githubEnvironment] : undefined;
  const decideAt = requestedAt + waitSeconds(gate);
  if (environment === undefined) return { githubEnvironment, environment, decideAt, flows: [] };
  const flows: JudgedDeployment['flows'][number][] = [];
  for (const flow of gate.flows) {
    // Others could claim that an artifact is of this commit, or add one that does not comply.
    const [reports, others] = await dependencies.storage.read(async (transaction) => {
      const environments = await listJudgingEnvironments(transaction, { org, environment });
      const list = (counting: readonly string[], limit: number): Promise<readonly ReportedArtifact[]> =>
        transaction.artifacts.listByCommit({ org, flow, environments: counting }, sha, limit);
      return Promise.all([list(environments, maximumArtifacts + 1), list([], 1)]);
    });
    const isUncounted = reports.length === 0 && others.length > 0;
    if (isUncounted || reports.length > maximumArtifacts) {
      flows.push({ flow, artifacts: isUncounted ? 'uncounted' : 'too many' });
      continue;
    }
    const artifacts: ArtifactVerdict[] = [];
    for (const { report } of reports) {
      const { fingerprint, filename: name } = report;
      const verdict = await assertArtifact(dependencies, { org, flow, environment, fingerprint });
      artifacts.push(verdict.outcome === 'judged' ? { ...verdict, name } : verdict);
    }
    flows.push({ flow, artifacts });
  }
  return { githubEnvironment, environment, decideAt, flows };
}

/** How long a deployment waits, in seconds; 0 if no gate has the repository. */
export async function findWait(dependencies: Pick<Dependencies, 'storage'>, answer: Answer): Promise<number> {
  const gate = await findGate(dependencies, answer);
  return gate === undefined ? 0 : waitSeconds(gate);
}
