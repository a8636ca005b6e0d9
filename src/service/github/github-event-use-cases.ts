import type { GithubGate } from '../../contract/github-gate.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { AnswerSubject } from './answer.ts';
import type { GithubApp } from './github-app.ts';
import type { GithubEvent } from './github-event.ts';

/** How long changes are shown at GitHub after it asked, in seconds: 90 days. */
const answerLifetime = 90 * 86_400;

type TakeDependencies = Pick<UseCaseDependencies, 'storage' | 'now'> & {
  readonly github: Pick<GithubApp, 'installations'>;
};

/**
 * Notes what an event of GitHub asks for, if a gate has its repository. Events may come twice, late, and in any order.
 */
export async function takeGithubEvent(
  { storage, now, github }: TakeDependencies,
  event: GithubEvent,
): Promise<'taken' | 'not wanted'> {
  const { installationId } = event;
  const org = github.installations.get(installationId);
  if (org === undefined) return 'not wanted';
  const at = unixSeconds(now());
  const take = async ({ githubGates, githubAnswers }: WriteTransaction): Promise<'taken' | 'not wanted'> => {
    if (event.type === 'installation resumed') {
      await githubAnswers.resume(org, installationId, at);
      return 'taken';
    }
    const { repository } = event;
    const gate = await githubGates.findOfRepository(org, repository.id);
    if (gate?.installation_id !== installationId) return 'not wanted';
    await githubAnswers.rename(org, repository);
    await githubAnswers.deleteOld(org, at - answerLifetime);
    for (const asked of listSubjects(event, gate)) {
      await githubAnswers.request({ org, installationId, repository, ...asked }, at);
    }
    return 'taken';
  };
  return storage.transaction(org, take, { mayExceedQuotas: true });
}

function listSubjects(
  event: Exclude<GithubEvent, { type: 'installation resumed' }>,
  { flows }: GithubGate,
): readonly { readonly subject: AnswerSubject; readonly again: boolean }[] {
  switch (event.type) {
    case 'repository renamed':
      return [];
    case 'deployment':
      return [{ subject: event.subject, again: false }];
    case 'commit': {
      const { sha, again } = event;
      return flows.map((flow) => ({ subject: { kind: 'check', sha, flow }, again }));
    }
  }
}
