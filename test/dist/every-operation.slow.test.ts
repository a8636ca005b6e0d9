import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationName } from '../../src/contract/endpoint.ts';
import type { ActionRun } from '../../tools/run-action.ts';
import { type ActionJob, openActionJob } from '../support/action-job.ts';
import { failedStep } from '../support/failed-step.ts';
import { interfaceEndpoints } from '../support/interface-endpoints.ts';
import { openOperationFixture, type OperationFixture } from '../support/operation-fixture.ts';
import { exceptions, type OperationRow, operationRows } from '../support/operation-rows.ts';
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.ts';

/** An answer that the contract declares, and how a step causes it; undefined if no case is declared. */
interface Declared {
  readonly title: string;
  readonly label: string;
  readonly operation: OperationName;
  readonly status: number;
  /** Of an error. */
  readonly message?: string;
  readonly row: OperationRow | undefined;
}

const declared: readonly Declared[] = interfaceEndpoints.flatMap(({ operation, success, errors }) => {
  const rows = operationRows[operation];
  const answers = [
    ...success.map(({ status }) => ({ status, what: 'the success', row: rows.successes[status] })),
    ...errors.map(({ status, message }) => ({ status, message, what: message, row: rows.errors[message] })),
  ];
  return answers.map(({ what, ...answer }, index) => {
    const title = `${operation}: ${answer.status}, ${what}`;
    return { title, label: `${operation.replaceAll('-', '')}${index}`, operation, ...answer };
  });
});

let job: ActionJob;
let fixture: OperationFixture;
let forwarder: RecordingProxy;
const results = new Map<string, ActionRun>();

beforeAll(async () => {
  job = await openActionJob();
  fixture = await openOperationFixture(job);
  forwarder = await startRecordingProxy(job.service.baseUrl);
  const waiting = declared.values();
  const worker = async (): Promise<void> => {
    for (const answer of waiting) await bringAbout(answer);
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));
}, 60_000);

afterAll(async () => {
  await forwarder.close();
  await job.close();
});

async function bringAbout({ label, operation, row }: Declared): Promise<void> {
  if (row === undefined) return;
  const key = row.key === undefined ? {} : { 'api-token': fixture.keys[row.key] };
  const run = (inputs: OperationRow['inputs'], name: string): Promise<ActionRun> =>
    job.step({ operation, 'base-url': forwarder.baseUrlFor(name), ...key, ...inputs });
  if (row.before !== undefined) await run(row.before, `${label}before`);
  results.set(label, await run(row.inputs, label));
}

function resultOf(label: string): ActionRun {
  const result = results.get(label);
  if (result === undefined) throw new Error(`nothing was run for ${label}`);
  return result;
}

/** Matches a message of the contract, with any text in place of each `{name}`. */
function filledIn(message: string): RegExp {
  const literals = message.split(/\{\w+\}/u).map((literal) => literal.replaceAll(/[$()*+.?[\\\]^{|}]/gu, '\\$&'));
  return new RegExp(`^${literals.join('.+')}$`, 'u');
}

const answered = declared.filter(({ row }) => row !== undefined);
const successes = answered.filter(({ message }) => message === undefined);
const errors = answered.filter(({ message, row }) => message !== undefined && row?.verdict === undefined);
const verdicts = answered.filter(({ row }) => row?.verdict !== undefined);

describe('every operation, through the built action and the real service', () => {
  it('has a row for every answer that the contract declares, and none for others', () => {
    const missing = declared.filter(
      (answer) => answer.row === undefined && !exceptions.has(answer.message ?? answer.status),
    );
    expect(missing.map(({ title }) => title)).toEqual([]);
    const rows = Object.values(operationRows).flatMap((each) => [
      ...Object.keys(each.successes),
      ...Object.keys(each.errors),
    ]);
    expect(rows).toHaveLength(answered.length);
  });

  it('succeeds in every operation', () => {
    expect([...new Set(successes.map(({ operation }) => operation))]).toHaveLength(interfaceEndpoints.length);
  });

  it.each(successes)('$title', ({ label, status }) => {
    const { exitCode, errorLog, outputs, summary } = resultOf(label);
    expect({ exitCode, errorLog }).toEqual({ exitCode: 0, errorLog: '' });
    expect(outputs['outcome']).toMatch(/^(?:done|compliant|non-compliant|incomplete)$/u);
    expect(outputs['response-path']).not.toBe('');
    expect(summary).not.toBe('');
    expect(forwarder.answersTo(label).map((answer) => answer.status)).toContain(status);
    expect(forwarder.answersTo(label).every((answer) => answer.status < 300)).toBe(true);
  });

  it.each(errors)('$title', ({ label, status, message = '' }) => {
    const answer = forwarder.answersTo(label).at(-1);
    expect(answer).toMatchObject({ status, message: expect.stringMatching(filledIn(message)) });
    const failed = failedStep(resultOf(label));
    expect(failed).toMatchObject({ exitCode: 1, outcome: 'error', compliant: '', kind: 'user', inSummary: true });
    expect(failed.message).toContain(`returned ${status}: `);
    expect(failed.message).toContain(answer?.message);
  });

  it.each(verdicts)('$title, of which the step makes a verdict', ({ label, status, message = '', row }) => {
    const answer = forwarder.answersTo(label).at(-1);
    expect(answer).toMatchObject({ status, message: expect.stringMatching(filledIn(message)) });
    const outputs = { outcome: row?.verdict, compliant: 'false' };
    expect(resultOf(label)).toMatchObject({ exitCode: 1, errorLog: '', outputs });
  });

  it('gets only answers that are as the OpenAPI document says', () => {
    const answers = declared.flatMap(({ label }) => [
      ...forwarder.answersTo(label),
      ...forwarder.answersTo(`${label}before`),
    ]);
    expect(answers.length).toBeGreaterThan(interfaceEndpoints.length);
    expect(answers.map(({ deviation }) => deviation).filter((each) => each !== undefined)).toEqual([]);
    expect(job.service.errors).toEqual([]);
  });
});
