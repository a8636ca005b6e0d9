import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GithubGate } from '../../../../src/contract/github-gate.ts';
import type { Answer, SentAnswer } from '../../../../src/service/github/answer.ts';
import type { AnswerWriter } from '../../../../src/service/github/answer-records.ts';
import type { GithubEvent } from '../../../../src/service/github/github-event.ts';
import { takeGithubEvent } from '../../../../src/service/github/github-event-use-cases.ts';
import { allOrganizations, concurrent } from '../../../../src/service/platform/database/storage.ts';
import type { ChangedSubject } from '../../../../src/service/trail/trail.ts';
import type { Records } from '../../../support/records.ts';
import { commitOf, fingerprintOf, sampleArtifact } from '../../../support/service-samples.ts';
import type { StorageUnderTest } from './storage-acceptance.ts';

/** What every storage adapter must do for what GitHub waits for. Times are in seconds. */
export function describeGithub(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(name, () => {
    let tested: StorageUnderTest;
    let records: Records;
    const gate = (change: Partial<GithubGate> = {}): GithubGate => ({
      ...{ name: 'web', installation_id: 1, repositories: ['10', '11'], flows: ['web', 'api'] },
      ...{ environments: { production: 'prod' }, wait: '30m', created_at: 1, created_by: 'ann', last_modified_at: 2 },
      ...change,
    });
    beforeEach(async () => {
      tested = await open();
      ({ records } = tested);
      await records.createOrganizationWithFlows('acme', ['web', 'api']);
      await records.createOrganization('other', 1);
      await save(gate());
      await save(gate(), 'other');
    });
    afterEach(() => tested.remove());

    const save = (saved: GithubGate, org = 'acme'): Promise<void> =>
      records.storage.transaction(org, ({ githubGates }) => githubGates.save(org, saved));
    const repository = { id: '10', name: 'acme/web' };
    const commit = (digit: string, again = false): GithubEvent => ({
      ...{ type: 'commit', installationId: 1, repository, sha: commitOf(digit), again },
    });
    const deployment = (deploymentId: number): GithubEvent => ({
      ...{ type: 'deployment', installationId: 1, repository },
      subject: { kind: 'deployment', sha: commitOf('1'), runId: 7, environment: 'production', deploymentId },
    });
    const take = (event: GithubEvent, at: number): Promise<unknown> => {
      const github = { installations: new Map([[1, 'acme'] as const, [2, 'other'] as const]) };
      return takeGithubEvent({ storage: records.storage, now: () => at * 1000, github }, event);
    };
    const due = (now: number, limit = 9): Promise<readonly string[]> =>
      records.storage.read(async ({ githubAnswers }) => {
        const found = await githubAnswers.listDue({ now, limit });
        const all = await Promise.all(found.map((one) => githubAnswers.find(one)));
        return all.flatMap((one) => (one === undefined ? [] : [describeSubject(one)]));
      });
    const change = <Result>(work: (answers: AnswerWriter) => Promise<Result>): Promise<Result> =>
      records.storage.transaction(allOrganizations, ({ githubAnswers }) => work(githubAnswers));
    const sent = (answer: Answer, result: SentAnswer): Promise<void> =>
      change((answers) => answers.recordSent(answer, 'one', result));
    const failed = (answer: Answer, until: number): Promise<void> =>
      change((answers) => answers.recordFailure(answer, 'one', until));
    const drop = (answer: Answer): Promise<void> => change((answers) => answers.delete(answer));
    const claim = async (now: number, claimant = 'one'): Promise<Answer> => {
      const [first] = await records.storage.read(({ githubAnswers }) => githubAnswers.listDue({ now, limit: 1 }));
      const answer =
        first === undefined ? undefined : await change((answers) => answers.claim(first, { now, claimant }));
      if (answer === undefined) throw new Error('nothing to claim');
      return answer;
    };
    const note = (scope: ChangedSubject, at: number): Promise<void> =>
      records.storage.transaction(scope.org, ({ githubAnswers }) => githubAnswers.noteChange(scope, at));
    const next = (after: number): Promise<number | undefined> =>
      records.storage.read(({ githubAnswers }) => githubAnswers.findNextDue(after));

    it('keeps gates for the organization, and finds the one of a repository', async () => {
      await save(gate({ name: 'app', repositories: ['12'], wait: '2h' }));
      await save(gate({ created_by: 'bob', created_at: 9, wait: '1h', last_modified_at: 9 }));
      const read = await records.storage.read(async ({ githubGates }) => [
        await githubGates.list('acme'),
        await githubGates.findOfRepository('acme', '12'),
        await githubGates.findOfRepository('acme', '1'),
        await githubGates.find('other', 'app'),
      ]);
      const app = gate({ name: 'app', repositories: ['12'], wait: '2h' });
      expect(read).toEqual([[app, gate({ wait: '1h', last_modified_at: 9 })], app, undefined, undefined]);
      const remove = () => records.storage.transaction('acme', ({ githubGates }) => githubGates.delete('acme', 'app'));
      expect([await remove(), await remove()]).toEqual(['deleted', 'not found']);
    });

    it('takes each event once for every flow, whatever the order, and only of its own installation', async () => {
      expect(await take(commit('1'), 10)).toBe('taken');
      expect(await take(commit('1'), 11)).toBe('taken');
      expect(await take({ ...commit('2'), installationId: 2 }, 12)).toBe('not wanted');
      expect(await take({ ...commit('2'), installationId: 3 }, 12)).toBe('not wanted');
      expect(await take({ ...commit('2'), repository: { id: '99', name: 'acme/other' } } as GithubEvent, 12)).toBe(
        'not wanted',
      );
      await take(deployment(5), 12);
      expect(await due(12)).toEqual(['web 1', 'api 1', 'production 5']);
      expect(await due(12, 2)).toEqual(['web 1', 'api 1']);
      expect(await due(9)).toEqual([]);
      expect(await next(9)).toBe(11);
      expect(await next(12)).toBeUndefined();
    });

    it('claims an answer for one process, until the claim expires', async () => {
      await take(deployment(5), 10);
      const answer = await claim(10);
      expect(answer).toMatchObject({ org: 'acme', installationId: 1, repository, requestedAt: 10, attempts: 0 });
      expect(await due(10)).toEqual([]);
      expect(await next(10)).toBe(130);
      expect(await change((answers) => answers.claim(answer, { now: 20, claimant: 'two' }))).toBeUndefined();
      expect(await due(130)).toEqual(['production 5']);
      await claim(130, 'two');
      // The process that lost its claim cannot overwrite the result of the other.
      await sent(answer, { sent: 'late', answeredAt: 131 });
      await failed(answer, 131);
      await change((answers) => answers.release(answer, { now: 131, claimant: 'one' }));
      expect(await due(131)).toEqual([]);
      await change((answers) => answers.release(answer, { now: 131, claimant: 'two' }));
      expect(await due(131)).toEqual(['production 5']);
    });

    it('saves what was sent, and keeps due what changed meanwhile', async () => {
      await take(deployment(5), 10);
      const first = await claim(10);
      await note({ org: 'acme' }, 11);
      await sent(first, { sent: 'waits', dueAt: 500 });
      const second = await claim(11);
      expect(second).toMatchObject({ sent: 'waits' });
      await sent(second, { sent: 'waits', dueAt: 500 });
      expect(await next(11)).toBe(500);
      const third = await claim(500);
      await note({ org: 'acme' }, 501);
      await sent(third, { sent: 'approved', answeredAt: 501 });
      // Decided: neither changes nor a repeated event ask for more, but a new deployment of the run does.
      await note({ org: 'acme' }, 502);
      await take(deployment(5), 503);
      await take(deployment(4), 503);
      expect(await due(1000)).toEqual([]);
      await take(deployment(6), 504);
      const again = await claim(504);
      expect(again).toMatchObject({ sent: undefined, requestedAt: 504 });
      await take(deployment(8), 505);
      await sent(again, { sent: 'approved', answeredAt: 506 });
      expect(await claim(506)).toMatchObject({ sent: undefined });
    });

    it('keeps the check of a commit when it is asked for again, and sends everything anew', async () => {
      await take(commit('1'), 10);
      const answer = await claim(10);
      await sent(answer, { sent: 'green', checkRunId: 77 });
      await take({ ...commit('1'), repository: { id: '10', name: 'acme/site' } } as GithubEvent, 11);
      expect(await records.storage.read(({ githubAnswers }) => githubAnswers.find(answer))).toMatchObject({
        ...{ sent: 'green', checkRunId: 77, requests: 1, repository: { id: '10', name: 'acme/site' } },
      });
      await take(commit('1', true), 12);
      const found = await records.storage.read(({ githubAnswers }) => githubAnswers.find(answer));
      expect(found).toMatchObject({ sent: undefined, checkRunId: 77, requests: 2 });
      // Something changes before the answer is dropped, and then nothing.
      await drop(answer);
      expect((await due(12)).toSorted()).toEqual(['api 1', 'web 1']);
      await change((answers) => answers.claim(answer, { now: 12, claimant: 'one' }));
      await drop(answer);
      expect(await due(999)).toEqual(['api 1']);
    });

    it('makes due what waits too long because the clock was set back, and nothing else', async () => {
      const day = 86_400;
      await save(gate({ flows: ['web'] }));
      const hold = async (digit: string, end: (held: Answer) => Promise<void>): Promise<void> => {
        await take(commit(digit), 100 * day);
        await end(await claim(100 * day));
      };
      await hold('1', () => Promise.resolve());
      await hold('2', (held) => failed(held, 100 * day + 10));
      await hold('3', (held) => sent(held, { sent: 'waits', dueAt: 113 * day }));
      const rearm = (now: number): Promise<void> =>
        records.storage.transaction(concurrent, ({ githubAnswers }) => githubAnswers.rearm(now));
      await rearm(100 * day - 1);
      expect(await due(100 * day - 1)).toEqual(['web 2']);
      await rearm(90 * day);
      expect((await due(90 * day)).toSorted()).toEqual(['web 1', 'web 2', 'web 3']);
    });

    it('waits after a failure, whatever changes, until GitHub asks again or lets the installation work', async () => {
      await save(gate({ flows: ['web'] }));
      const fail = async (now: number): Promise<void> => {
        const answer = await claim(now);
        await failed(answer, now + 900);
      };
      await take(commit('1'), 10);
      await fail(10);
      await note({ org: 'acme', flow: 'web' }, 20);
      expect([await due(20), await next(20)]).toEqual([[], 910]);
      await take(commit('1'), 30);
      await fail(30);
      await take(deployment(5), 30);
      await sent(await claim(30), { sent: 'waits', dueAt: 5000 });
      await take(commit('2'), 31);
      await fail(31);
      const running = await claim(930);
      await take({ type: 'installation resumed', installationId: 1 }, 930);
      await sent(running, { sent: 'green' });
      // Neither what was being sent nor what waits for its time.
      expect(await due(930)).toEqual(['web 2']);
      expect(await claim(930)).toMatchObject({ attempts: 0 });
    });

    it('makes due what a change is about', async () => {
      const report = { git_commit_info: { sha1: commitOf('1') } };
      for (const flow of ['web', 'api'])
        await records.beginTrail({ org: 'acme', flow, name: 'v1', report, template: undefined }, 3);
      await records.beginTrail({ org: 'acme', flow: 'web', name: commitOf('2'), report: {}, template: undefined }, 3);
      await take(commit('1'), 10);
      await take(commit('2'), 10);
      await take(deployment(5), 10);
      const sendAll = async (now: number): Promise<void> => {
        while ((await due(now)).length > 0) await sent(await claim(now), { sent: 'x' });
      };
      const changed = async (scope: ChangedSubject): Promise<readonly string[]> => {
        await sendAll(20);
        await note(scope, 20);
        return due(20);
      };
      expect(await changed({ org: 'acme', flow: 'web', trail: 'v1' })).toEqual(['web 1', 'production 5']);
      expect(await changed({ org: 'acme', flow: 'web', trail: commitOf('2') })).toEqual(['web 2', 'production 5']);
      await records.recordArtifact({
        ...{ org: 'acme', flow: 'web', id: 'web-v1', createdAt: 5, reportedBy: 'ann' },
        report: sampleArtifact({ trail_name: 'v1', fingerprint: fingerprintOf('1') }),
      });
      expect(await changed({ org: 'acme', fingerprint: fingerprintOf('1') })).toEqual(['web 1', 'production 5']);
      expect(await changed({ org: 'acme', flow: 'web', trail: 'unknown' })).toEqual(['production 5']);
      expect(await changed({ org: 'acme', flow: 'api' })).toEqual(['api 1', 'api 2', 'production 5']);
      expect(await changed({ org: 'acme' })).toEqual(['web 1', 'api 1', 'web 2', 'api 2', 'production 5']);
      expect(await changed({ org: 'other' })).toEqual([]);
    });

    it('follows a renamed repository, and forgets after 90 days', async () => {
      await take(commit('1'), 10);
      const renamed = { id: '10', name: 'acme/site' };
      await take({ type: 'repository renamed', installationId: 1, repository: renamed }, 20);
      expect(await claim(20)).toMatchObject({ repository: renamed });
      await take(commit('2'), 11 + 90 * 86_400);
      expect(await due(1e9)).toEqual(['web 2', 'api 2']);
    });
  });
}

function describeSubject({ subject }: Answer): string {
  return subject.kind === 'check'
    ? `${subject.flow} ${subject.sha[0] ?? ''}`
    : `${subject.environment} ${subject.deploymentId}`;
}
