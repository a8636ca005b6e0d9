import { unixSeconds } from '../../runtime/clock.ts';
import type { GithubGate } from '../../contract/github-gate.ts';
import {
  assertArtifact,
  listJudgingEnvironments,
  type Assertion,
  type AssertionObstacle,
} from '../artifact/artifact-assertion-use-cases.ts';
import { findOverrideEnd } from '../attestation/facts.ts';
import { allOrganizations, type WriteTransaction } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import { loadTrailStates, type TrailState } from '../trail/trail-state-use-cases.ts';
import type { Answer, AnswerFailure, AnswerReference, AnswerSubject, SentAnswer } from './answer.ts';
import type { CommitVerdict } from './check-output.ts';
import { waitSeconds } from './gate.ts';
import type { GithubApp } from './github-app.ts';
import type { GithubEvent } from './github-event.ts';

/** How long changes are shown at GitHub after it asked, in seconds: 90 days. */
const answerLifetime = 90 * 86_400;

type TakeDependencies = Pick<UseCaseDependencies, 'storage' | 'now'> & {
  readonly github: Pick<GithubApp, 'installations'>;
};

/**
 * Notes what an event of GitHub asks for, if a gate has its repository. Events may come twice, late, and in any order.
 */
export async function takeGithubEvent(
  { storage, now, github }: TakeDependencies,
  event: GithubEvent,
): Promise<'taken' | 'not wanted'> {
  const { installationId } = event;
  const org = github.installations.get(installationId);
  if (org === undefined) return 'not wanted';
  const at = unixSeconds(now());
  const take = async ({ githubGates, githubAnswers }: WriteTransaction): Promise<'taken' | 'not wanted'> => {
    if (event.type === 'installation resumed') {
      await githubAnswers.resume(org, installationId, at);
      return 'taken';
    }
    const { repository } = event;
    const gate = await githubGates.findOfRepository(org, repository.id);
    if (gate?.installation_id !== installationId) return 'not wanted';
    await githubAnswers.rename(org, repository);
    await githubAnswers.deleteOld(org, at - answerLifetime);
    for (const asked of listSubjects(event, gate)) {
      await githubAnswers.request({ org, installationId, repository, ...asked }, at);
    }
    return 'taken';
  };
  return storage.transaction(org, take, { mayExceedQuotas: true });
}

function listSubjects(
  event: Exclude<GithubEvent, { type: 'installation resumed' }>,
  { flows }: GithubGate,
): readonly { readonly subject: AnswerSubject; readonly again: boolean }[] {
  switch (event.type) {
    case 'repository renamed':
      return [];
    case 'deployment':
      return [{ subject: event.subject, again: false }];
    case 'commit': {
      const { sha, again } = event;
      return flows.map((flow) => ({ subject: { kind: 'check', sha, flow }, again }));
    }
  }
}

/** What a check shows. */
export interface CheckMaterial extends CommitVerdict {
  readonly kind: 'check';
  /** When the verdict may change although nothing is recorded, in Unix seconds; undefined for never. */
  readonly changesAt?: number | undefined;
}

/** What decides a deployment. */
export interface DeploymentMaterial {
  readonly kind: 'deployment';
  /** The environment that judges it; undefined if the gate names none for that of GitHub. */
  readonly environment: string | undefined;
  /** When it is rejected if it is still incomplete. */
  readonly decideAt: number;
  readonly flows: readonly {
    readonly flow: string;
    /** The verdicts on the artifacts of the commit; empty if there are none. */
    readonly artifacts: readonly (Assertion | AssertionObstacle)[] | 'too many';
  }[];
}

/** What an answer is decided by; `no gate` if none has the repository and the flow. */
export type AnswerMaterial = CheckMaterial | DeploymentMaterial | 'no gate';

/** The maximum number of trails of a commit that are judged; a further one is a fault. */
const maximumTrails = 50;
/** The maximum number of artifacts of a commit in a flow. */
const maximumArtifacts = 100;

/** Loads what an answer is decided by. */
export async function loadAnswerMaterial(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>,
  answer: Answer,
): Promise<AnswerMaterial> {
  const { org, repository, subject, installationId } = answer;
  const gate = await dependencies.storage.read(({ githubGates }) => githubGates.findOfRepository(org, repository.id));
  if (gate?.installation_id !== installationId) return 'no gate';
  if (subject.kind === 'deployment') return loadDeployment(dependencies, { org, subject, answer, gate });
  return gate.flows.includes(subject.flow) ? loadCheck(dependencies, { org, ...subject }) : 'no gate';
}

function loadCheck(
  { storage, now }: Pick<UseCaseDependencies, 'storage' | 'now'>,
  { org, flow: name, sha }: { readonly org: string; readonly flow: string; readonly sha: string },
): Promise<CheckMaterial> {
  return storage.read(async (transaction) => {
    const flow = await transaction.flows.find(org, name);
    const none = { kind: 'check', org, flow: name, trails: [], required: [] } as const;
    if (flow === undefined)
      return { ...none, required: [{ state: 'missing', about: name, value: 'there is no such flow' }] };
    const begun = await transaction.trails.listByCommit(org, name, sha, maximumTrails + 1);
    const [first] = begun;
    // Otherwise further trails could hide one that fails.
    if (first !== undefined && begun.length > maximumTrails) {
      const reason = {
        state: 'failed',
        about: 'this commit',
        value: `more than ${maximumTrails} trails have it`,
      } as const;
      const judgement = { state: 'NON-COMPLIANT', info: reason.value, reasons: [reason] } as const;
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

/** When the first override of evidence of the trails ends; undefined if none does. */
function findFirstEnd(trails: readonly TrailState[]): number | undefined {
  const ends = trails
    .flatMap(({ judgement }) => [judgement, ...judgement.artifacts])
    .flatMap(({ evidence }) => evidence.map((status) => findOverrideEnd(status.evidence?.facts)?.until))
    .filter((day) => day !== undefined)
    .toSorted();
  const [first] = ends;
  return first === undefined ? undefined : Date.parse(first) / 1000 + 86_400;
}

async function loadDeployment(
  dependencies: Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>,
  {
    org,
    subject,
    answer: { requestedAt },
    gate,
  }: {
    readonly org: string;
    readonly subject: Extract<AnswerSubject, { kind: 'deployment' }>;
    readonly answer: Answer;
    readonly gate: GithubGate;
  },
): Promise<DeploymentMaterial> {
  const { environments } = gate;
  const environment = Object.hasOwn(environments, subject.environment) ? environments[subject.environment] : undefined;
  const decideAt = requestedAt + waitSeconds(gate);
  if (environment === undefined) return { kind: 'deployment', environment, decideAt, flows: [] };
  const flows: DeploymentMaterial['flows'][number][] = [];
  for (const flow of gate.flows) {
    // Others could claim that an artifact is of this commit, or add one that does not comply.
    const reports = await dependencies.storage.read(async (transaction) => {
      const environments = await listJudgingEnvironments(transaction, { org, environment });
      return transaction.artifacts.listByCommit({ org, flow, environments }, subject.sha, maximumArtifacts + 1);
    });
    if (reports.length > maximumArtifacts) {
      flows.push({ flow, artifacts: 'too many' });
      continue;
    }
    const artifacts: (Assertion | AssertionObstacle)[] = [];
    for (const { report } of reports) {
      artifacts.push(await assertArtifact(dependencies, { org, flow, environment, fingerprint: report.fingerprint }));
    }
    flows.push({ flow, artifacts });
  }
  return { kind: 'deployment', environment, decideAt, flows };
}

/** How long a deployment waits, in seconds; 0 if no gate has the repository. */
export async function findWait({ storage }: StorageDependency, { org, repository }: Answer): Promise<number> {
  const gate = await storage.read(({ githubGates }) => githubGates.findOfRepository(org, repository.id));
  return gate === undefined ? 0 : waitSeconds(gate);
}

/** How long a claim lasts that is not ended, in seconds: longer than an attempt may take. */
const claimSeconds = 120;

type StorageDependency = Pick<UseCaseDependencies, 'storage'>;

/** An answer that a process has claimed. */
export interface ClaimedAnswer {
  readonly answer: Answer;
  readonly claimant: string;
}

/** Claims an answer for a process; undefined if it is no longer due, or another has claimed it. */
export function claimAnswer(
  { storage }: StorageDependency,
  reference: AnswerReference,
  { now, claimant }: { readonly now: number; readonly claimant: string },
): Promise<Answer | undefined> {
  const claim = { now, until: now + claimSeconds, claimant };
  return storage.transaction(reference.org, ({ githubAnswers }) => githubAnswers.claim(reference, claim), unlimited);
}

/** What GitHub waits for is not limited by quotas. */
const unlimited = { mayExceedQuotas: true } as const;

/** Saves what was sent. What changed in the meantime stays due. */
export function saveSentAnswer(
  { storage }: StorageDependency,
  { answer, claimant }: ClaimedAnswer,
  sent: SentAnswer,
): Promise<void> {
  const save = ({ githubAnswers }: WriteTransaction): Promise<void> => githubAnswers.recordSent(answer, claimant, sent);
  return storage.transaction(answer.org, save, unlimited);
}

/** Saves that an attempt failed. */
export function saveAnswerFailure(
  { storage }: StorageDependency,
  { answer, claimant }: ClaimedAnswer,
  failure: AnswerFailure,
): Promise<void> {
  const save = ({ githubAnswers }: WriteTransaction): Promise<void> =>
    githubAnswers.recordFailure(answer, claimant, failure);
  return storage.transaction(answer.org, save, unlimited);
}

/** Ends claims without a result, when the process stops. */
export async function releaseAnswer(
  { storage }: StorageDependency,
  { answer, claimant }: ClaimedAnswer,
  now: number,
): Promise<void> {
  const release = ({ githubAnswers }: WriteTransaction): Promise<void> =>
    githubAnswers.release(answer, { now, claimant });
  await storage.transaction(answer.org, release, unlimited);
}

/** The longest wait of a check, in seconds. */
const longestWait = 14 * 86_400;

/** Makes answers due that wait too long because the clock was set back. Usually there are none. */
export async function rearmAnswers({ storage }: Pick<UseCaseDependencies, 'storage'>, now: number): Promise<void> {
  // The clocks of several processes differ, and no claim may end while its process sends.
  const times = { now, claimUntil: now + 2 * claimSeconds, waitUntil: now + longestWait };
  if (!(await storage.read(({ githubAnswers }) => githubAnswers.hasOverdue(times)))) return;
  await storage.transaction(allOrganizations, ({ githubAnswers }) => githubAnswers.rearm(times), unlimited);
}

/** Deletes an answer that no gate wants any longer. */
export function dropAnswer({ storage }: StorageDependency, answer: AnswerReference): Promise<void> {
  return storage.transaction(answer.org, ({ githubAnswers }) => githubAnswers.delete(answer), unlimited);
}
