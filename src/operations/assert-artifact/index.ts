import type { ComplianceClient } from '../../client/client.ts';
import { assertArtifact as endpoint } from '../../contract/artifact-assertion.ts';
import type { Problem } from '../../runtime/failure.ts';
import { omitUndefined } from '../../runtime/omit-undefined.ts';
import { checkIdentity, type IdentifiedArtifact, identifyArtifacts, toArtifactNames } from '../identify-artifacts.ts';
import { image } from '../inputs/artifact-inputs.ts';
import { environment, policies } from '../inputs/environment-inputs.ts';
import { artifactFiles } from '../inputs/evidence-inputs.ts';
import { fingerprint, flow } from '../inputs/flow-inputs.ts';
import { optional, withDefault } from '../inputs/input.ts';
import { lines } from '../inputs/input-types.ts';
import { wait } from '../inputs/step-inputs.ts';
import { judgeKnown, judgeSubjects } from '../judged-subjects.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { type AssertionAnswer, createAssertionResult } from './assertion-result.ts';
import type { Criterion } from './criterion.ts';
import { parseAssertion } from './parse-assertion.ts';

const inputs = {
  /** The full fingerprints of artifacts, one per line; the values have no `sha256:`. */
  fingerprints: optional(lines(fingerprint)),
  files: optional(artifactFiles),
  image: optional(image),
  flow: optional(flow),
  environment: optional(environment),
  policies: optional(policies),
  waitSeconds: withDefault(wait, 0),
} as const;

/** The gate: judges artifacts by their flows, by the policies of an environment, or by given policies. */
export const assertArtifact = defineOperation({
  name: 'assert-artifact',
  endpoint,
  gate: 'fail',
  inputs,
  check: (values) => [...checkIdentity(values), ...checkCriterion(values)],
  async run(values, context) {
    const queries = await identifyArtifacts(values, context);
    const criterion = {
      flow: values.flow,
      environment: values.environment,
      policies: values.policies === undefined ? undefined : [...new Set(values.policies)],
    };
    const judgement = await judgeSubjects(
      {
        queries,
        judge: (artifact, client) => assertOne(artifact, criterion, client, context),
        toNames: (artifact) => toArtifactNames(artifact),
        waitSeconds: values.waitSeconds,
        logTitle: 'Assert artifacts',
      },
      context,
    );
    return createAssertionResult(judgement, criterion);
  },
});

/** @throws Failure if the service gives no answer that can be relied on, or does not have what the criterion names */
function assertOne(
  artifact: IdentifiedArtifact,
  criterion: Criterion,
  client: ComplianceClient,
  { org }: OperationContext,
): Promise<AssertionAnswer> {
  const { fingerprint } = artifact;
  const { flow, environment, policies } = criterion;
  const { name } = toArtifactNames(artifact);
  const value = `not reported to ${flow === undefined ? 'any flow' : `flow ${flow}`}`;
  return judgeKnown<AssertionAnswer>(
    async () => {
      const { body: assertion } = await client.call(endpoint, {
        parameters: { org, fingerprint },
        query: omitUndefined({
          flow_name: flow,
          environment_name: environment,
          ...(policies === undefined ? {} : { policy_name: [...policies] }),
        }),
      });
      return { assertion, ...parseAssertion(assertion, { fingerprint, name }, criterion) };
    },
    { resource: 'Artifact', named: fingerprint, about: name, value },
  );
}

function checkCriterion(values: {
  readonly environment: string | undefined;
  readonly policies: readonly string[] | undefined;
}): readonly Problem[] {
  if (values.environment === undefined || values.policies === undefined) return [];
  return [
    {
      input: 'policy',
      what: '`environment` and `policy` exclude each other: an artifact is judged by the policies of the environment, or by those given',
      remedy: 'Remove one of them, or use a step for each.',
    },
  ];
}
