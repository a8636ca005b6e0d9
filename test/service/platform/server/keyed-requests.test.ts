import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { attestSonar } from '../../../../src/contract/attestations/sonar.ts';
import { createFlow } from '../../../../src/contract/flow.ts';
import { parseIdempotencyKey } from '../../../../src/contract/idempotency.ts';
import { valueAt } from '../../../../src/runtime/untrusted-data.ts';
import { ApiError } from '../../../../src/service/platform/server/errors/api-error.ts';
import {
  digestRequest,
  KeyedRequests,
  readIdempotencyKey,
  type RequestContent,
} from '../../../../src/service/platform/server/keyed-requests.ts';
import { toOperationObject } from '../../../../src/service/platform/server/openapi/operation-object.ts';

const content: RequestContent = {
  parameters: { org: 'acme' },
  query: {},
  document: { attestation_name: 'sonar', user_data: { github: { run_id: 1, run_attempt: 1 } } },
  file: { filename: 'report.xml', content: { digest: 'ab' } },
};

describe('readIdempotencyKey', () => {
  it('reads the key of a write, with or without quotation marks', () => {
    expect(readIdempotencyKey({ headers: { 'idempotency-key': '"a-1"' } }, createFlow)).toBe('a-1');
    expect(readIdempotencyKey({ headers: { 'idempotency-key': 'a-1' } }, createFlow)).toBe('a-1');
    expect(readIdempotencyKey({ headers: {} }, createFlow)).toBeUndefined();
  });

  it.each(['', '""', 'a b', '"a', '"a", "b"', 'x'.repeat(256)])('rejects %j, and names the header', (value) => {
    const read = (): unknown => readIdempotencyKey({ headers: { 'idempotency-key': value } }, createFlow);
    expect(read).toThrow(ApiError);
    try {
      read();
    } catch (error) {
      expect(valueAt(error, 'status')).toBe(400);
      expect(Object.keys(valueAt(error, 'body', 'errors') as object)).toEqual(['idempotency-key']);
    }
  });

  it('takes the keys that the OpenAPI document describes', () => {
    const parameters = valueAt(toOperationObject(createFlow), 'parameters');
    const header: unknown = Array.isArray(parameters) ? parameters.at(-1) : undefined;
    const pattern = new RegExp(String(valueAt(header, 'schema', 'pattern')), 'u');
    const characters = fc.oneof(fc.constantFrom('"', '\\', ' ', 'a', '[', ']', '!', '~'), fc.string());
    const values = fc.array(characters, { maxLength: 260 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(values, (value) => {
        fc.pre(value === value.trim());
        expect(pattern.test(value)).toBe(parseIdempotencyKey(value) !== undefined);
      }),
    );
  });
});

describe('the digest of a request', () => {
  const digest = (change: Partial<RequestContent> = {}): string =>
    digestRequest(attestSonar, { ...content, ...change });

  it.each<[string, Partial<RequestContent>]>([
    ['parameters', { parameters: { org: 'other' } }],
    ['query', { query: { all: true } }],
    ['document', { document: { attestation_name: 'other' } }],
    ['file name', { file: { filename: 'other.xml', content: { digest: 'ab' } } }],
    ['file', { file: { filename: 'report.xml', content: { digest: 'cd' } } }],
    ['missing file', { file: undefined }],
  ])('differs for another %s', (_part, change) => {
    expect(digest(change)).not.toBe(digest());
  });
});

interface Response {
  readonly status: number;
  readonly body: string;
}

describe('KeyedRequests', () => {
  const respond = (result: string): Response => ({ status: 201, body: result });
  const carryOut = (
    requests: KeyedRequests,
    useCase: () => Promise<string>,
    received: { readonly key?: string | undefined; readonly org?: string; readonly sender?: string } = {},
  ): Promise<unknown> => {
    const { key = 'one', org = 'acme', sender = '' } = received;
    const asKeyed = 'key' in received && received.key === undefined ? undefined : key;
    return requests.carryOut<Response>(createFlow, { key: asKeyed, sender, org, content })(useCase, {}, {}, respond);
  };
  const never = (): Promise<string> => Promise.reject(new Error('must not run'));

  it('rejects a key that is in use, until its request has ended', async () => {
    const requests = new KeyedRequests();
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = carryOut(requests, () => promise);
    await expect(carryOut(requests, never)).rejects.toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
    resolve('done');
    expect(await first).toEqual({ status: 201, body: 'done' });
    expect(await carryOut(requests, () => Promise.resolve('again'))).toEqual({ status: 201, body: 'again' });
  });

  it('releases the key of a request that failed', async () => {
    const requests = new KeyedRequests();
    await expect(carryOut(requests, never)).rejects.toThrow('must not run');
    expect(await carryOut(requests, () => Promise.resolve('done'))).toEqual({ status: 201, body: 'done' });
  });

  it('lets requests run at once that differ in organization, caller or key, or have none', async () => {
    const requests = new KeyedRequests();
    const { promise, resolve } = Promise.withResolvers<string>();
    const others = [{ org: 'other' }, { sender: 'ann' }, { key: 'two' }, { key: undefined }, { key: undefined }];
    const running = [{}, ...others].map((received) => carryOut(requests, () => promise, received));
    resolve('done');
    expect(await Promise.all(running)).toEqual(running.map(() => ({ status: 201, body: 'done' })));
  });
});
