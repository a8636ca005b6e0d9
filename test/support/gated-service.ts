import { type After, systemClock } from '../../src/runtime/clock.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { type ManualClock, manualClock } from './clock.ts';
import { fakeApp, type FakeGitHubApp, startGitHubApp } from './fake-github-app.ts';
import { sampleGate } from './github-gate.ts';
import { startTestService, type TestService } from './service.ts';
import { call, type Called } from './service-call.ts';
import { saveFlow } from './service-samples.ts';
import { createTestStorage } from './test-storage.ts';

/** How long a request to GitHub may take. Such timers run in real time, while that of the test flies. */
const requestTimeout = 20_000;

/** The settings of a service with the app of the fake, whose installations 1 and 2 belong to `acme` by default. */
export function gatedOptions(github: FakeGitHubApp, owner = 'acme'): Partial<ServiceOptions> {
  const installations = new Map([1, 2].map((id) => [id, owner]));
  return { github: { ...fakeApp, apiUrl: github.url, installations } };
}

/** A service with a gate between the flow `web` and the repository `acme/web`, and the GitHub that it talks to. */
export interface GatedService {
  readonly service: TestService;
  readonly github: FakeGitHubApp;
  readonly clock: Pick<ManualClock, 'now' | 'advance'>;
  /** Stops the service. */
  pause(): Promise<void>;
  /**
   * Starts it on the same data.
   *
   * @param owner the organization that the operator gives the installations to, by default `acme`
   */
  resume(owner?: string): Promise<void>;
  /** Sets the time forward, as if the machine had slept. */
  sleep(milliseconds: number): void;
  /** Lets time pass until it is true. */
  passUntil(condition: () => boolean): Promise<void>;
  /** Lets time pass until no answer to GitHub is due. */
  settle(): Promise<void>;
  /** Stops everything. */
  stop(): Promise<void>;
}

/** Starts a service with a gate. The caller must stop it. */
export async function startGatedService(gate: Readonly<Record<string, unknown>> = {}): Promise<GatedService> {
  const awake = manualClock();
  let asleep = 0;
  const now = (): number => awake.now() + asleep;
  const storage = await createTestStorage();
  const github = await startGitHubApp(now);
  const after: After = (wait, fire) => (wait === requestTimeout ? systemClock : awake).after(wait, fire);
  const sources = { now, monotonic: () => awake.now(), after };
  const start = async (owner?: string): Promise<TestService> => {
    const started = await startTestService({ storage, sources, options: gatedOptions(github, owner) });
    github.target = webhooksOf(started);
    return started;
  };
  let service = await start();
  await saveFlow(service);
  await saveGate(service, gate);
  return {
    get service() {
      return service;
    },
    github,
    clock: { now, advance: (milliseconds) => awake.advance(milliseconds) },
    sleep: (milliseconds) => {
      asleep += milliseconds;
    },
    pause: async () => {
      github.target = undefined;
      await service.stop();
    },
    resume: async (owner) => {
      service = await start(owner);
    },
    passUntil: async (condition) => {
      while (!condition()) {
        await awake.advance(5000);
        // Real servers answer meanwhile.
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    },
    settle: async () => {
      const isDue = (): string => `claimed_by IS NOT NULL OR due_at <= ${now() / 1000}`;
      while ((await storage.query(`SELECT 1 FROM github_answers WHERE ${isDue()}`)).length > 0)
        await awake.advance(5000);
    },
    stop: async () => {
      await service.stop();
      await github.close();
      await storage.remove();
    },
  };
}

/** The address to which GitHub sends webhooks. */
export function webhooksOf({ url }: Pick<TestService, 'url'>): string {
  return `${url}/-/github/webhooks`;
}

/** Connects the flow `web` and the repository. */
export function saveGate(service: TestService, gate: Readonly<Record<string, unknown>> = {}): Promise<Called> {
  const path = `/organizations/${service.org}/github-gates/shop`;
  return call(service, { method: 'PUT', path, json: { ...sampleGate, ...gate } });
}
