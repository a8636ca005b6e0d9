import type { Transport } from '../../src/http/transport.ts';
import type { EnvironmentVariables } from '../../src/runtime/dependencies.ts';
import type { Mapping } from '../../src/runtime/untrusted-data.ts';
import { responseFile } from '../../src/step/report/response-file.ts';
import { collectSecrets } from '../../src/step/report/secrets.ts';
import { readCommonInputs } from '../../src/step/run/common-inputs.ts';
import type { StepContext } from '../../src/step/run/run-operation.ts';
import { inputVariables } from '../../tools/run-action.ts';
import { instantClock } from './clock.ts';
import { pushEvent, shas } from './events.ts';
import { inputSource } from './input-source.ts';
import { jobOf } from './job.ts';
import { type CollectingLog, collectingLog } from './log.ts';

/** A step in this process, with a log that stores its lines and a clock on which waiting takes no time. */
export interface TestStep {
  readonly context: StepContext;
  readonly log: CollectingLog;
}

/** The inputs of a connection to a service that a transport stands in for. */
export const connection = {
  'base-url': 'https://compliance.example.com',
  'api-token': 'the-api-key-of-acme',
  org: 'acme',
};

/** Opens a step with these inputs under `with:` and these variables. */
export function openTestStep(options: {
  readonly inputs: Readonly<Record<string, string>>;
  readonly transport: Transport;
  readonly variables?: EnvironmentVariables;
  readonly directory?: string;
  readonly signal?: AbortSignal;
  /** The payload of a push; by default that of the commit. */
  readonly event?: Mapping;
}): TestStep {
  const log = collectingLog();
  const directory = options.directory ?? '/nowhere';
  const job = jobOf('push', options.event ?? pushEvent(), {
    GITHUB_SHA: shas.head,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_WORKSPACE: directory,
  });
  const environment = { ...options.variables, ...inputVariables(options.inputs) };
  const source = inputSource(environment);
  return {
    log,
    context: {
      inputs: readCommonInputs(source),
      inputSource: source,
      environment,
      job,
      transport: options.transport,
      signal: options.signal ?? new AbortController().signal,
      temporaryDirectory: directory,
      secretForms: [],
      addSecret: () => undefined,
      responseFile: responseFile({ directory, secrets: collectSecrets([]) }),
      clock: instantClock(),
      random: () => 0,
      log,
    },
  };
}
