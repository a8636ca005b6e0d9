import { getArtifact as endpoint } from '../../contract/artifact.ts';
import { checkIdentity } from '../identify-artifacts.ts';
import { environment } from '../inputs/environment-inputs.ts';
import { artifactFiles } from '../inputs/evidence-inputs.ts';
import { attestationId, fingerprints, flow, trail } from '../inputs/flow-inputs.ts';
import { optional, required, withDefault } from '../inputs/input.ts';
import { wait } from '../inputs/step-inputs.ts';
import { defineOperation } from '../operation.ts';
import { pollUntilFinal, type Poll } from '../polling.ts';
import { createQueries } from './artifact-query.ts';
import { createArtifactResult } from './artifact-result.ts';
import { judgeArtifacts, pendingReasons, type Judgement } from './judge-artifacts.ts';
import { lookupArtifacts } from './lookup.ts';

const inputs = {
  flow: required(flow),
  fingerprints: optional(fingerprints),
  files: optional(artifactFiles),
  trail: optional(trail),
  attestationId: optional(attestationId),
  environment: optional(environment),
  waitSeconds: withDefault(wait, 0),
} as const;

/**
 * Operation 10: looks up artifacts by fingerprint, and judges them by their state and, if an environment is given, by whether it is compliant.
 */
export const getArtifact = defineOperation({
  name: 'get-artifact',
  endpoint,
  gate: 'fail',
  inputs,
  check: checkIdentity,
  async run(values, context) {
    const queries = await createQueries(values, context);
    const request = { queries, environment: values.environment };
    const poll: Poll<Judgement> = {
      fetch: async (client, previous) =>
        judgeArtifacts(await lookupArtifacts(request, client, context, previous?.lookups)),
      pending: pendingReasons,
      failures: ({ failures }) => failures,
    };
    const { answer, timing } = await context.call.log.group('Look up artifacts', () =>
      pollUntilFinal(poll, values.waitSeconds, context),
    );
    return createArtifactResult({ ...answer, flow: values.flow, timing });
  },
});
