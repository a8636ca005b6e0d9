import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../../support/failures.ts';
import { always, performOperation } from '../../support/perform-operation.ts';

const task = 'https://sonar.example.com/api/ce/task?id=a';

describe('the sources of an analysis', () => {
  it.each([
    [{ 'sonar-report-path': 'a', 'sonar-task-url': task }, 'Only one of `sonar-report-path`, `sonar-task-url`'],
    [{ 'sonar-project-key': 'web' }, '`sonar-project-key` needs `sonar-host-url`'],
    [{ 'sonar-branch': 'main' }, '`sonar-branch` and `sonar-pull-request` need `sonar-project-key`'],
    [
      {
        'sonar-project-key': 'web',
        'sonar-host-url': 'https://sonar.example.com',
        'sonar-branch': 'main',
        'sonar-pull-request': '1',
      },
      'Only one of `sonar-branch` and `sonar-pull-request`',
    ],
  ])('are checked before anything is sent: %j', async (inputs, message) => {
    const failure = await failureOf(performOperation('attest-sonar', { flow: 'web', ...inputs }, always(201, 'OK')));
    expect(failure.message).toContain(message);
  });
});
