import type { Artifact } from '../../contract/artifact.ts';
import { worstVerdict, type Verdict } from '../../contract/compliance.ts';
import type { Failure } from '../../runtime/failure.ts';
import { describePending, mayRecover } from '../polling.ts';
import { abbreviate } from '../report.ts';
import { withoutFullStop } from '../sentences.ts';
import type { ArtifactQuery } from './artifact-query.ts';
import type { ArtifactLookup } from './lookup.ts';

/** The names of an artifact. */
interface ArtifactIdentity {
  readonly query: ArtifactQuery;
  /** All digits if they are known, else those of the query. */
  readonly fingerprint: string;
  /** `Artifact dist/web.tgz 0123456789ab`. */
  readonly title: string;
}

/** The verdict of an artifact that was found. */
interface ArtifactVerdict extends ArtifactIdentity {
  readonly artifact: Artifact;
  /** The state and the reason for it, in the service's words, without the full stop. */
  readonly stateText: string;
  readonly verdict: Verdict;
  readonly failure?: never;
}

/** An artifact that could not be looked up. */
interface FailedArtifact extends ArtifactIdentity {
  readonly failure: Failure;
  /** The state in the latest answer before the failure; undefined if there was none. */
  readonly lastState: string | undefined;
  readonly artifact?: never;
  readonly verdict?: never;
}

/** The verdict of one artifact, or why there is none. */
export type ArtifactJudgement = ArtifactVerdict | FailedArtifact;

/** A failure, and the artifacts that could not be judged because of it. */
export interface FailureGroup {
  /** The failure of the first of these artifacts. */
  readonly failure: Failure;
  readonly names: readonly string[];
}

/** The verdict of everything that one poll looked up. */
export interface Judgement {
  /** In the order of the queries. */
  readonly lookups: readonly ArtifactLookup[];
  /** In the order of the queries. */
  readonly artifacts: readonly ArtifactJudgement[];
  /** The worst verdict of all; undefined if something that could not be looked up may be worse. */
  readonly verdict: Verdict | undefined;
  readonly failures: readonly Failure[];
  /** The failures without duplicates. */
  readonly failureGroups: readonly FailureGroup[];
}

/** Judges each artifact by its state, and all of them by the worst. */
export function judgeArtifacts(lookups: readonly ArtifactLookup[]): Judgement {
  const artifacts = lookups.map(judgeArtifact);
  const failures = artifacts.flatMap(({ failure }) => failure ?? []);
  const worst = worstVerdict(artifacts.flatMap(({ verdict }) => verdict ?? []));
  // No verdict is worse than non-compliant, so lookups that failed cannot change it.
  const verdict = worst === 'non-compliant' || failures.length === 0 ? worst : undefined;
  return { lookups, artifacts, verdict, failures, failureGroups: groupFailures(artifacts) };
}

function judgeArtifact({ query, settled }: ArtifactLookup): ArtifactJudgement {
  const identity = identify(query, settled.value?.artifact);
  if (settled.failure !== undefined) {
    const lastState = settled.last === undefined ? undefined : describeState(settled.last.artifact);
    return { ...identity, failure: settled.failure, lastState };
  }
  const { artifact, verdict } = settled.value;
  return { ...identity, artifact, stateText: describeState(artifact), verdict };
}

function identify(query: ArtifactQuery, artifact: Artifact | undefined): ArtifactIdentity {
  const fingerprint = artifact?.fingerprint ?? query.fingerprint;
  const name = query.name ?? artifact?.filename;
  const title = `Artifact ${name === undefined ? '' : `${name} `}${abbreviate(fingerprint)}`;
  return { query, fingerprint, title };
}

function describeState(artifact: Artifact): string {
  return [artifact.state ?? '', ...stateReason(artifact)].join(': ');
}

/**
 * Why the artifact is in its state, in the service's words, without the full stop; empty if the service does not say.
 */
export function stateReason(artifact: Artifact): readonly string[] {
  const reason = withoutFullStop(artifact.state_info?.trim() ?? '');
  return reason === '' ? [] : [reason];
}

/** Failures that differ in nothing but the fingerprint are one group. */
function groupFailures(artifacts: readonly ArtifactJudgement[]): readonly FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const one of artifacts) {
    if (one.failure === undefined) continue;
    const { failure, lastState, query, title } = one;
    const name = `${title}${lastState === undefined ? '' : ` (last verdict seen: ${lastState})`}`;
    const key = failure.message.replaceAll(query.fingerprint, '');
    const group = groups.get(key) ?? { failure, names: [] };
    groups.set(key, { ...group, names: [...group.names, name] });
  }
  return [...groups.values()];
}

const worstFirstOrder: readonly (Verdict | undefined)[] = ['non-compliant', undefined, 'incomplete', 'compliant'];

/** The artifacts in the order that a reader needs: non-compliant, not looked up, incomplete, compliant. */
export function worstFirst(artifacts: readonly ArtifactJudgement[]): readonly ArtifactJudgement[] {
  const rank = ({ verdict }: ArtifactJudgement): number => worstFirstOrder.indexOf(verdict);
  return artifacts.toSorted((one, other) => rank(one) - rank(other));
}

/** What a final verdict still waits for, a line each; empty if no later poll can change the verdict. */
export function pendingReasons({ verdict, failures, artifacts }: Judgement): readonly string[] {
  if (verdict !== undefined && verdict !== 'incomplete') return [];
  if (!failures.every(mayRecover)) return [];
  return artifacts.flatMap(pendingReason);
}

function pendingReason(one: ArtifactJudgement): readonly string[] {
  if (one.failure !== undefined) return [`${one.title} ${describePending(one.failure)}`];
  return one.verdict === 'incomplete' ? [`${one.title} is ${one.stateText}`] : [];
}
