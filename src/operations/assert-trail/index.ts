import { getTrail as endpoint } from '../../contract/trail-reading.ts';
import { connectSources } from '../../evidence/commit/commit-sources.ts';
import { judgedCommit } from '../../evidence/commit/judged-commit.ts';
import { locateCommit } from '../../evidence/commit/locate-commit.ts';
import { commitSha, githubToken } from '../inputs/evidence-inputs.ts';
import { flow, trail } from '../inputs/flow-inputs.ts';
import { optional, required, type ValuesOf, withDefault } from '../inputs/input.ts';
import { wait } from '../inputs/step-inputs.ts';
import { judgeSubjects } from '../judged-subjects.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { assertOne } from './judge-trail.ts';
import { createTrailResult } from './trail-result.ts';

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
        judge: (one, client) => assertOne(one, { client, org: context.org }),
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
  { commitSha: given, githubToken }: ValuesOf<typeof inputs>,
  { job, environment, call }: OperationContext,
): Promise<string> {
  const sources = connectSources({ ...call, job, environment, githubToken });
  const { sha, meaning } = await locateCommit(judgedCommit(job, given), job.workspace, sources);
  call.log.info(`The trail is that of commit ${sha}, ${meaning}.`);
  return sha;
}
