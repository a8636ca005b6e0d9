import { describe, expect, it } from '@jest/globals';
import type { GitHubApiRequest, GitHubApiResult } from '../../../src/evidence/github/github-api.ts';
import type { GitHubRefusal } from '../../../src/evidence/github/github-refusal.ts';
import { createPushAccess, type PushAccess } from '../../../src/evidence/pull-requests/push-access.ts';

/** Access to a stand-in for GitHub's API, and the requests that it got. */
function accessWith(answer: (username: unknown) => GitHubApiResult): {
  readonly access: PushAccess;
  readonly asked: readonly GitHubApiRequest[];
} {
  const asked: GitHubApiRequest[] = [];
  const api = {
    apiUrl: 'https://api.github.com',
    repository: { owner: 'acme', name: 'widgets' },
    ask: (request: GitHubApiRequest) => {
      asked.push(request);
      return Promise.resolve(answer(request.parameters['username']));
    },
  };
  return { access: createPushAccess(api), asked };
}

const refused = (status: number | undefined, reason: GitHubRefusal['reason']): GitHubApiResult => ({
  refusal: { status, reason, what: 'a refusal' },
});

describe('push access', () => {
  it.each([
    ['admin', true],
    ['write', true],
    ['read', false],
    ['none', false],
    ['something new', false],
  ])('with the permission %s is %s', async (permission, canPush) => {
    const { access, asked } = accessWith(() => ({ body: { permission } }));
    expect(await access.of('bob')).toEqual({ canPush });
    expect(asked).toEqual([
      {
        route: 'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
        parameters: { username: 'bob' },
      },
    ]);
  });

  it('is asked for once', async () => {
    const { access, asked } = accessWith(() => ({ body: { permission: 'write' } }));
    await access.of('bob');
    expect(await access.of('bob')).toEqual({ canPush: true });
    expect(asked).toHaveLength(1);
  });

  it('is unknown after a response without a permission', async () => {
    const { access } = accessWith(() => ({ body: '<html>' }));
    expect(await access.of('bob')).toEqual({ unknown: 'its response is not a permission' });
  });

  it('is unknown after a refusal, which names the permission and holds for everybody', async () => {
    const { access, asked } = accessWith(() => refused(403, 'permission'));
    const answer = await access.of('bob');
    expect(answer).toEqual({ unknown: expect.stringContaining('a refusal; the token needs') });
    expect(answer).toEqual({ unknown: expect.stringContaining('`metadata: read`') });
    expect(await access.of('eve')).toEqual(answer);
    expect(asked).toHaveLength(1);
  });

  it('is unknown after an outage, which is no lack of a permission', async () => {
    const { access } = accessWith(() => refused(undefined, 'external'));
    expect(await access.of('bob')).toEqual({ unknown: 'a refusal' });
  });

  it('is unknown for an account that does not exist, and asked for others', async () => {
    const { access } = accessWith((username) =>
      username === 'gone' ? refused(404, 'permission') : { body: { permission: 'write' } },
    );
    expect(await access.of('gone')).toEqual({ unknown: expect.stringContaining('a refusal') });
    expect(await access.of('bob')).toEqual({ canPush: true });
  });

  it('is asked for at most 200 people', async () => {
    const { access, asked } = accessWith(() => ({ body: { permission: 'read' } }));
    for (let index = 0; index < 200; index += 1) await access.of(`user-${index}`);
    expect(await access.of('bob')).toEqual({ unknown: 'a step asks about at most 200 people' });
    expect(asked).toHaveLength(200);
  });
});
