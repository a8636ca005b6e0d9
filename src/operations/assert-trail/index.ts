import type { ComplianceClient } from '../../client/client.ts';
import { getTrail as endpoint } from '../../contract/trail-reading.ts';
import { connectSources } from '../../evidence/commit/commit-sources.ts';
import { judgedCommit } from '../../evidence/commit/judged-commit.ts';
import { locateCommit } from '../../evidence/commit/locate-commit.ts';
import { commitSha, githubToken } from '../inputs/evidence-inputs.ts';
import { flow, trail } from '../inputs/flow-inputs.ts';
import { optional, required, withDefault, type ValuesOf } from '../inputs/input.ts';
import { wait } from '../inputs/step-inputs.ts';
import { judgeKnown, judgeSubjects } from '../judged-subjects.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { judgeTrail, type TrailQuery } from './judge-trail.ts';
import { createTrailResult, type TrailAnswer } from './trail-result.ts';

const inputs = {
  flow: required(flow),
  trail: optional(trail),
  commitSha: optional(commitSha),
  githubToken: optional(githubToken),
  waitSeconds: withDefault(wait, 0),
} as const;

/** The gate on everything that is recorded about a change: judges a trail with its artifacts by its template. */
export const assertTrail = defineOperation({
  name: 'assert-trail',
  endpoint,
  gate: 'fail',
  inputs,
  async run(values, context) {
    const name = values.trail ?? (await locateTrail(values, context));
    const query = { flow: values.flow, trail: name };
    const judgement = await judgeSubjects(
      {
        queries: [query],
        judge: (one, client) => assertOne(one, client, context),
        toNames: ({ trail: one }) => ({ title: `Trail ${one}`, name: `trail ${one}`, digits: one }),
        waitSeconds: values.waitSeconds,
        logTitle: 'Assert the trail',
      },
      context,
    );
    return createTrailResult(judgement, query, context);
  },
});

/** The name of a trail without a name of its own: the SHA of its commit, of which nothing else is needed. */
async function locateTrail(
  { commitSha: given, githubToken: token }: ValuesOf<typeof inputs>,
  { job, environment, call: { transport, log, clock, signal } }: OperationContext,
): Promise<string> {
  const sources = connectSources({ job, environment, githubToken: token, transport, log, clock, signal });
  const { sha, meaning } = await locateCommit(judgedCommit(job, given), job.workspace, sources);
  log.info(`The trail is that of commit ${sha}, ${meaning}.`);
  return sha;
}

/** @throws Failure if the service gives no answer that can be relied on, or has no such flow */
function assertOne(
  query: TrailQuery,
  client: ComplianceClient,
  { org }: Pick<OperationContext, 'org'>,
): Promise<TrailAnswer> {
  const { flow: flowName, trail: name } = query;
  return judgeKnown<TrailAnswer>(
    async () => {
      const { body } = await client.call(endpoint, { parameters: { org, flow_name: flowName, trail_name: name } });
      return { trail: body, ...judgeTrail(body, query) };
    },
    { resource: 'Trail', named: name, about: `trail ${name}`, value: 'nothing was recorded to it' },
  );
}
