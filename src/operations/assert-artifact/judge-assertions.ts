import type { ComplianceClient } from '../../client/client.ts';
import { assertArtifact as endpoint, type ArtifactAssertion } from '../../contract/artifact-assertion.ts';
import { toArtifactState, worstVerdict, type Verdict } from '../../contract/compliance.ts';
import { maximumConnections } from '../../http/connections.ts';
import { mapConcurrently } from '../../runtime/concurrent.ts';
import type { Failure } from '../../runtime/failure.ts';
import type { IdentifiedArtifact } from '../identify-artifacts.ts';
import type { OperationContext } from '../operation.ts';
import { describePending, mayRecover, settle, type Settled } from '../polling.ts';
import { abbreviate } from '../report.ts';
import { summarizeList } from '../sentences.ts';
import { parseAssertion, type Criterion, type ParsedAssertion } from './parse-assertion.ts';

/** The maximum number of shortcomings in a sentence. */
const maximumNamed = 5;

/** The answer for one artifact. */
export interface AssertedArtifact {
  readonly artifact: IdentifiedArtifact;
  /** `Artifact web.tgz 0123456789ab`. */
  readonly title: string;
  readonly settled: Settled<ParsedAssertion & { readonly answer: ArtifactAssertion }>;
}

/** The answers of one poll, in the order of the artifacts. */
export interface Assertions {
  readonly artifacts: readonly AssertedArtifact[];
  readonly failures: readonly Failure[];
  /** The worst verdict of all; undefined if something that could not be judged may be worse. */
  readonly verdict: Verdict | undefined;
}

/**
 * Asks for the verdicts on all artifacts. All of them are asked for again in every poll, because an artifact that was
 * compliant minutes ago may have non-compliant evidence now.
 */
export async function fetchAssertions(
  artifacts: readonly IdentifiedArtifact[],
  criterion: Criterion,
  client: ComplianceClient,
  context: OperationContext,
  previous: Assertions | undefined,
): Promise<Assertions> {
  const asserted = await mapConcurrently([...artifacts.entries()], maximumConnections, ([index, artifact]) =>
    fetchAssertion(artifact, criterion, client, context, previous?.artifacts[index]),
  );
  const failures = asserted.flatMap(({ settled }) => settled.failure ?? []);
  const worst = worstVerdict(asserted.flatMap(({ settled }) => settled.value?.verdict ?? []));
  // No verdict is worse than non-compliant, so answers that failed cannot change it.
  return {
    artifacts: asserted,
    failures,
    verdict: worst === 'non-compliant' || failures.length === 0 ? worst : undefined,
  };
}

async function fetchAssertion(
  artifact: IdentifiedArtifact,
  criterion: Criterion,
  client: ComplianceClient,
  { org, call }: OperationContext,
  previous: AssertedArtifact | undefined,
): Promise<AssertedArtifact> {
  const { name, fingerprint } = artifact;
  const { flow, environment, policies } = criterion;
  const title = `Artifact ${name === undefined ? '' : `${name} `}${abbreviate(fingerprint)}`;
  const settled = await settle(
    async () => {
      const { body: answer } = await client.call(endpoint, {
        parameters: { org, fingerprint },
        query: {
          ...(flow === undefined ? {} : { flow_name: flow }),
          ...(environment === undefined ? {} : { environment_name: environment }),
          ...(policies === undefined ? {} : { policy_name: [...policies] }),
        },
      });
      return { answer, ...parseAssertion(answer, fingerprint, criterion) };
    },
    previous?.settled,
    call.signal,
  );
  const { value } = settled;
  if (value !== undefined && value.verdict !== previous?.settled.value?.verdict) {
    call.log.info(`${title}: ${describeVerdict(value)}`);
  }
  return { artifact, title, settled };
}

/** The verdict and the reasons for it, without a full stop: `NON-COMPLIANT: policy strict: sonar: …`. */
export function describeVerdict({ verdict, shortcomings }: ParsedAssertion): string {
  const reasons = shortcomings.map(({ source, words }) => `${source}: ${words}`);
  return [toArtifactState(verdict), ...(reasons.length === 0 ? [] : [summarizeList(reasons, maximumNamed)])].join(': ');
}

/** The things that a final verdict still waits for, one per line; empty if no later poll can change the verdict. */
export function pendingReasons({ artifacts, failures, verdict }: Assertions): readonly string[] {
  if (verdict !== undefined && verdict !== 'incomplete') return [];
  if (!failures.every(mayRecover)) return [];
  return artifacts.flatMap(({ title, settled: { value, failure } }) => {
    if (failure !== undefined) return [`${title} ${describePending(failure)}`];
    return value.verdict === 'incomplete' ? [`${title} is ${describeVerdict(value)}`] : [];
  });
}
