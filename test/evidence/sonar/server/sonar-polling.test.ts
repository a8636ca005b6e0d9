import { afterEach, describe, expect, it } from '@jest/globals';
import { type HttpRequest, type HttpResponse, type Transport, TransportError } from '../../../../src/http/transport.ts';
import { createTransport } from '../../../../src/http/undici-transport.ts';
import { jsonAnswer } from '../../../support/answering-transport.ts';
import { startOfTime } from '../../../support/clock.ts';
import { failureOf } from '../../../support/failures.ts';
import type { SonarState } from '../../../support/fake-sonar.ts';
import { finishedTask, taskId, unfinishedTask } from '../../../support/sonar-analysis.ts';
import { openSonarJob, type SonarJob } from '../../../support/sonar-job.ts';

let job: SonarJob;
let real: Transport;
afterEach(async () => {
  await job.close();
  await real.close();
});

/** The failure of a request at a time in milliseconds after the start; undefined if the server answers. */
type Disruption = (elapsed: number, request: HttpRequest) => HttpResponse | TransportError | undefined;

async function open(disrupt: Disruption, state: Partial<SonarState> = {}, signal?: AbortSignal): Promise<void> {
  real = createTransport({});
  const transport: Transport = {
    ...real,
    send(request, abort) {
      const met = disrupt(elapsed(), request);
      if (met === undefined) return real.send(request, abort);
      return met instanceof Error ? Promise.reject(met) : Promise.resolve(met);
    },
  };
  job = await openSonarJob({ state, context: { transport, ...(signal === undefined ? {} : { signal }) } });
  await job.report();
}

const elapsed = (): number => job.clock.now() - startOfTime;
const refused = new TransportError('unreachable', false, 'connect ECONNREFUSED 127.0.0.1:9000');
const unknownUrl = (path: string): HttpResponse => jsonAnswer(404, { errors: [{ msg: `Unknown url : /${path}` }] });
const starting = ({ url }: HttpRequest): HttpResponse => unknownUrl(url.pathname.slice(1));
const within = (elapsedNow: number, from: number, to: number): boolean => elapsedNow >= from && elapsedNow < to;

describe('a restart of Sonar', () => {
  it('before the task was seen is waited for: first refused connections, then unknown endpoints', async () => {
    await open((now, request) => (now < 35_000 ? refused : now < 45_000 ? starting(request) : undefined), {
      tasks: { [taskId]: [unfinishedTask('PENDING'), finishedTask()] },
    });
    expect((await job.gather()).results.qualityGate.status).toBe('OK');
    expect(elapsed()).toBeGreaterThan(45_000);
    expect(elapsed()).toBeLessThan(65_000);
    const lines = job.log.infos.slice(2);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toContain('ECONNREFUSED 127.0.0.1:9000; asking again for up to 300 s');
    expect(lines[1]).toContain('ECONNREFUSED');
    expect(lines[2]).toContain('Sonar is still starting');
    expect(lines[3]).toContain('is PENDING after');
  });

  it.each([
    ['a server in maintenance', { status: 503, headers: {}, text: '' }],
    ['a host name that is gone', new TransportError('unreachable', false, 'x', { cause: { code: 'ENOTFOUND' } })],
  ])('is recognized by %s for a minute', async (_what, met) => {
    await open((now) => (within(now, 1000, 60_000) ? met : undefined), {
      tasks: { [taskId]: [unfinishedTask('PENDING'), finishedTask()] },
    });
    expect((await job.gather()).results.qualityGate.status).toBe('OK');
  });

  it('that takes longer than `sonar-timeout` is an error with the last known state', async () => {
    await open((now) => (now < 4000 ? undefined : refused), { tasks: { [taskId]: [unfinishedTask('PENDING')] } });
    const failure = await failureOf(job.gather({ timeoutMilliseconds: 60_000 }));
    expect(failure.kind).toBe('external');
    expect(failure.message).toBe(
      `Sonar did not answer within 60 s (\`sonar-timeout\`). Last error: no answer from Sonar to GET ${job.sonar.url}/api/ce/task?id=${taskId}&additionalFields=warnings: connect ECONNREFUSED 127.0.0.1:9000. Before that: Sonar's background task ${taskId} is PENDING.`,
    );
    expect(failure.remedy).toContain('run the job again when it is up, or raise `sonar-timeout`');
    expect(elapsed()).toBe(60_000);
  });

  it('that does not end in time is an external error, not a wrong address', async () => {
    await open((_now, request) => starting(request));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain('Last error: Sonar is still starting');
    expect(failure.remedy).toContain('/setup if the database has to be upgraded');
    expect(elapsed()).toBe(300_000);
  });

  it('is not waited for any longer if the job is cancelled', async () => {
    const cancelled = new AbortController();
    await open(
      (now) => {
        if (now > 20_000) cancelled.abort(new Error('the job was cancelled'));
        return refused;
      },
      {},
      cancelled.signal,
    );
    await expect(job.gather()).rejects.toThrow('the job was cancelled');
    expect(elapsed()).toBeLessThan(40_000);
  });
});

describe('too many requests', () => {
  const tooMany = (retryAfter: string): HttpResponse => ({
    status: 429,
    headers: { 'retry-after': retryAfter },
    text: '',
  });

  it('are followed by the pause that Sonar asks for', async () => {
    await open((now) => (now < 40_000 ? tooMany('20') : undefined));
    await job.gather();
    expect(job.clock.waits).toEqual([20_000, 20_000]);
  });

  it('end the wait at once if Sonar asks for a longer pause than is left', async () => {
    await open(() => tooMany('3600'));
    const failure = await failureOf(job.gather());
    expect(failure.kind).toBe('external');
    expect(failure.message).toContain(
      'with 429: an empty body; Sonar asks to wait 3600 s before the next request, but only 300 s of `sonar-timeout` are left',
    );
    expect(job.clock.waits).toEqual([]);
  });
});

describe('a permanent failure', () => {
  it.each([
    ['a host name that never existed', new TransportError('unreachable', false, 'x', { cause: { code: 'ENOTFOUND' } })],
    ['a proxy that wants a password', new TransportError('unreachable', false, 'Proxy response (407) !== 200')],
  ])('ends the wait at once: %s', async (_what, met) => {
    await open(() => met);
    await failureOf(job.gather());
    expect(job.clock.waits).toEqual([]);
  });

  it('is an endpoint that this edition lacks: it is asked for twice, with a look at one that every edition has', async () => {
    const path = 'api/project_pull_requests/list';
    await open(() => undefined, { tasks: { [taskId]: [finishedTask({ pullRequest: '7' })] } });
    expect((await job.gather()).unverifiedReason).toContain('404: Unknown url');
    expect(job.sonar.requests.filter((request) => request.path === `/${path}`)).toHaveLength(2);
    expect(elapsed()).toBeLessThan(5000);
  });

  it('is waited for only briefly if the evidence is complete without it', async () => {
    // The anonymous request for the list, sent only because the token has no access.
    await open((_now, { url, headers }) =>
      url.pathname === '/api/project_analyses/search' && headers['authorization'] === undefined ? refused : undefined,
    );
    expect((await job.gather({ token: 'sqp_analysis_token_0123' })).unverifiedReason).toContain('403');
    expect(elapsed()).toBeLessThanOrEqual(10_000);
  });
});
