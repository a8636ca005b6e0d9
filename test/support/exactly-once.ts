import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import type { EndpointOperation } from '../../src/contract/endpoint.ts';
import { idempotencyKeyHeader } from '../../src/contract/idempotency.ts';
import type { Transport } from '../../src/http/transport.ts';
import { createTransport } from '../../src/http/undici-transport.ts';
import { mapConcurrently } from '../../src/runtime/concurrent.ts';
import { Failure } from '../../src/runtime/failure.ts';
import { runOperation } from '../../src/step/run/run-operation.ts';
import { jsonAnswer } from './answering-transport.ts';
import { pushEvent, shas } from './events.ts';
import { faultyTransport } from './faulty-transport.ts';
import { pullRequestAnswers } from './pull-request-answers.ts';
import { seededRandom } from './seeded-random.ts';
import { startTestService, type TestService } from './service.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from './temporary-workspace.ts';
import { openTestStep } from './test-step.ts';
import { createTestStorage, type TestStorage } from './test-storage.ts';
import { writeReports, type WritingStep, writingSteps } from './writing-steps.ts';

/** How many steps of each operation run: `npm run test:slow` sets more. */
const givenSteps: unknown = Reflect.get(globalThis, 'faultSteps');
const steps = typeof givenSteps === 'number' ? givenSteps : 15;

/** The proportion of requests that fail. */
const rate = 0.3;

/** How many steps run at the same time. */
const concurrency = 16;

/** Every operation that writes. */
const operations: ReadonlySet<EndpointOperation> = new Set(
  apiEndpoints.flatMap(({ operation, repetition }) =>
    operation === undefined || repetition.effect === 'safe' ? [] : [operation],
  ),
);

/** How a step ended, and how often the service recorded what it sent. */
export interface StepEnd {
  readonly records: number;
  /** Undefined if the step passed. */
  readonly failure: Failure | undefined;
  readonly state: string | undefined;
}

/** What is tested: a service, the inputs of all steps, and what must be true of a step. */
export interface ExactlyOnce {
  readonly title: string;
  /** Puts the service behind the transport of its client. */
  readonly service: (inner: Transport) => Transport;
  readonly inputs: Readonly<Record<string, string>>;
  /** How many services share the data, for storages that several processes can use. Default: 1. */
  readonly processes?: number;
  /** Expects of all steps of an operation. */
  readonly check: (ends: readonly StepEnd[], step: WritingStep, operation: EndpointOperation) => void;
}

/**
 * Runs many steps of every writing operation against the real service, through a network that fails 30 % of all
 * requests in every way. Clocks are injected, so nothing waits. Jest's seed repeats the faults.
 */
export function describeExactlyOnce({ title, service: behind, inputs, processes = 1, check }: ExactlyOnce): void {
  const seed = jest.getSeed();
  let storage: TestStorage;
  let services: readonly TestService[];
  let service: TestService;
  let workspace: TemporaryWorkspace;
  let network: Transport;

  async function runStep(operation: EndpointOperation, { inputs: own }: WritingStep, index: number): Promise<EndOfRun> {
    const random = seededRandom(seed ^ (index * 7919) ^ hashOf(operation));
    const { context } = openTestStep({
      inputs: {
        'base-url': service.baseUrl,
        'api-token': service.apiKey,
        org: service.org,
        operation,
        ...own(index),
        ...inputs,
      },
      // Only the service fails.
      transport: withGitHub(faultyTransport(network, { rate, random })),
      variables: { GITHUB_ACTION: `__step_${index}` },
      directory: workspace.path,
      event: pushEvent(),
    });
    try {
      const { result } = await runOperation({ ...context, random });
      return { failure: result.failure, state: result.state };
    } catch (thrown) {
      if (thrown instanceof Failure) return { failure: thrown, state: undefined };
      throw thrown;
    }
  }

  describe(`${title}: ${steps} steps with seed ${seed}`, () => {
    beforeAll(async () => {
      storage = await createTestStorage();
      service = await startTestService({ storage });
      const others = Array.from({ length: processes - 1 }, () => startTestService({ storage }));
      services = [service, ...(await Promise.all(others))];
      workspace = await temporaryWorkspace();
      const transport = createTransport({});
      const urls = services.map(({ url }) => url);
      network = behind(processes === 1 ? transport : alternatingTransport(transport, urls));
      await writeReports(workspace);
    });

    afterAll(async () => {
      await network.close();
      await Promise.all(services.map((each) => each.stop()));
      await storage.remove();
      await workspace.remove();
    });

    it.each([...operations])(
      '%s',
      async (operation) => {
        const step = writingSteps[operation];
        if (step === undefined) throw new Error(`${operation} has no steps`);
        const indexes = Array.from({ length: steps }, (_, index) => index);
        await step.prepare(service, steps);
        const ends = await mapConcurrently(indexes, concurrency, (index) => runStep(operation, step, index));
        const records = await step.records(service, steps);
        const all = ends.map((end, index) => ({ ...end, records: records[index] ?? 0 }));
        if (steps > 100) process.stdout.write(`${title}, ${operation}: ${summarize(all)}\n`);
        check(all, step, operation);
        expect(services.flatMap(({ errors }) => errors)).toEqual([]);
      },
      600_000,
    );
  });
}

/** GitHub's answers about the commit of the steps. */
const githubAnswers = pullRequestAnswers(shas.head);

/** Answers requests to GitHub, and sends all others. */
function withGitHub(inner: Transport): Transport {
  return {
    ...inner,
    async send(request, signal) {
      const { host, pathname, search } = request.url;
      if (host !== 'api.github.com') return inner.send(request, signal);
      const reply = githubAnswers[pathname + search];
      if (reply === undefined || typeof reply === 'string') return jsonAnswer(404, { message: 'Not Found' });
      return jsonAnswer(reply.status, reply.body);
    },
  };
}

/**
 * A transport like a proxy in front of several processes: a request that is repeated with its idempotency key goes to
 * another process than before, and requests without a key take turns.
 *
 * @param origins of the processes, which share their data
 */
function alternatingTransport(inner: Transport, origins: readonly string[]): Transport {
  const turns = new Map<string, number>();
  return {
    ...inner,
    send: (request, signal) => {
      const key = request.headers[idempotencyKeyHeader] ?? '';
      const turn = turns.get(key) ?? 0;
      turns.set(key, turn + 1);
      const { pathname, search } = request.url;
      const origin = origins[turn % origins.length];
      return inner.send({ ...request, url: new URL(pathname + search, origin) }, signal);
    },
  };
}

type EndOfRun = Omit<StepEnd, 'records'>;

function summarize(ends: readonly StepEnd[]): string {
  const count = (is: (end: StepEnd) => boolean): number => ends.filter(is).length;
  const lost = count(({ records, failure }) => records === 0 && failure === undefined);
  const doubled = count(({ records }) => records > 1);
  const red = count(({ failure }) => failure !== undefined);
  const both = count(({ records, failure }) => records > 0 && failure !== undefined);
  return `${ends.length} steps, ${lost} lost silently, ${doubled} doubled, ${red} red, ${both} of them recorded`;
}

function hashOf(text: string): number {
  return Buffer.from(text).reduce((sum, byte) => Math.imul(sum, 31) + byte, 7);
}
