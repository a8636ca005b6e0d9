import { saveFlow } from './service-samples.ts';
import { openAndClosed, type WorkflowCase } from './workflow-case.ts';
import * as started from './workflow-events.ts';
import type { CaseContext } from './workflow-preparations.ts';

export const matrixCases: Readonly<Record<string, readonly WorkflowCase[]>> = {
  'Tests of each version': [
    {
      title: 'passes if every job recorded its results',
      run: started.pullRequest('src/a.js'),
      prepare: ({ service }) => saveFlow(service, { name: 'web', template: ['unit-22', 'unit-24'] }),
      jobs: { test: 'success', gate: 'success' },
      outcomes: ['compliant', 'compliant', 'compliant'],
    },
    {
      title: 'fails if the template requires the results of another job',
      run: started.pullRequest('src/a.js'),
      prepare: ({ service }) => saveFlow(service, { name: 'web', template: ['unit-22', 'unit-24', 'unit-26'] }),
      jobs: { test: 'success', gate: 'failure' },
      outcomes: ['compliant', 'compliant', 'incomplete'],
    },
  ],

  'Compliance of each service': openAndClosed(started.pullRequest('services/web/a.js'), {
    rule: { flows: ['web', 'api'] },
    async prepare({ service }: CaseContext): Promise<void> {
      for (const name of ['web', 'api']) await saveFlow(service, { name });
    },
    open: {
      jobs: { sonar: 'success', compliance: 'success' },
      outcomes: ['compliant', 'compliant'],
      statuses: { 'compliance/web': 'success', 'compliance/api': 'success' },
    },
    closed: {
      jobs: { sonar: 'failure', compliance: 'failure' },
      outcomes: ['non-compliant', 'non-compliant'],
      statuses: { 'compliance/web': 'failure', 'compliance/api': 'failure' },
    },
  }),
};
