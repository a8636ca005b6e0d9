import type { WorkflowCase } from './workflow-case.ts';
import * as started from './workflow-events.ts';
import { attested, attestedCheckpoint, fingerprint, keptCheckpoint } from './workflow-preparations.ts';

/** The cases of the workflows that keep checkpoints of the log (docs/how-to/keep-checkpoints.md). */
export const checkpointCases: Readonly<Record<string, readonly WorkflowCase[]>> = {
  'Deploy with a kept checkpoint': [
    {
      title: 'keeps the first checkpoint',
      run: started.startedByHand({ fingerprint, first: true }),
      prepare: attested,
      jobs: { deploy: 'success' },
      outcomes: ['compliant'],
      skipped: ['Fetch the checkpoint'],
    },
    {
      title: 'passes if the log continues the kept one',
      run: started.startedByHand({ fingerprint, first: false }),
      prepare: attestedCheckpoint,
      jobs: { deploy: 'success' },
      outcomes: ['compliant'],
    },
    {
      title: 'fails if none is found',
      run: started.startedByHand({ fingerprint, first: false }),
      prepare: attested,
      jobs: { deploy: 'failure' },
      outcomes: [],
      skipped: ['OWNER/compliance-action/actions/get-artifact@v1', 'Keep the checkpoint', 'Deploy'],
    },
  ],

  'Without attestations': [
    {
      title: 'passes if the log continues the kept one',
      run: started.pushToMain('a'),
      prepare: keptCheckpoint,
      before: 'make web.tar.gz',
      jobs: { piece: 'success' },
      outcomes: ['compliant'],
    },
  ],
};
