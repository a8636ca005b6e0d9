import { assertArtifact as endpoint } from '../../contract/artifact-assertion.ts';
import type { Problem } from '../../runtime/failure.ts';
import { checkIdentity, identifyArtifacts } from '../identify-artifacts.ts';
import { environment, policies } from '../inputs/environment-inputs.ts';
import { artifactFiles } from '../inputs/evidence-inputs.ts';
import { flow, wholeFingerprints } from '../inputs/flow-inputs.ts';
import { optional, withDefault } from '../inputs/input.ts';
import { wait } from '../inputs/step-inputs.ts';
import { defineOperation } from '../operation.ts';
import { pollUntilFinal, type Poll } from '../polling.ts';
import { createAssertionResult } from './assertion-result.ts';
import { fetchAssertions, pendingReasons, type Assertions } from './judge-assertions.ts';

const inputs = {
  fingerprints: optional(wholeFingerprints),
  files: optional(artifactFiles),
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
    const artifacts = await identifyArtifacts(values, context);
    const criterion = { flow: values.flow, environment: values.environment, policies: unique(values.policies) };
    const poll: Poll<Assertions> = {
      fetch: (client, previous) => fetchAssertions(artifacts, criterion, client, context, previous),
      pending: pendingReasons,
      failures: ({ failures }) => failures,
    };
    const { answer, timing } = await context.call.log.group('Assert artifacts', () =>
      pollUntilFinal(poll, values.waitSeconds, context),
    );
    return createAssertionResult(answer, criterion, timing);
  },
});

function unique(names: readonly string[] | undefined): readonly string[] | undefined {
  return names === undefined ? undefined : [...new Set(names)];
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
