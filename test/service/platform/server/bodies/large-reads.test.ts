import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LargeReads } from '../../../../../src/service/platform/server/bodies/large-reads.ts';
import { listContentFingerprints, type StoredContent } from '../../../../../src/service/snapshot/content-views.ts';

const large = 1024 * 1024;
const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
const content: StoredContent = {
  isLogical: false,
  parts: [
    {
      environment: 'prod',
      judgement: { compliant: null, policies: [], breaches: [], allowed: [] },
      content: JSON.stringify([first, second].map((fingerprint) => ({ name: 'web', fingerprint, instances: [] }))),
    },
  ],
};

let reads: LargeReads;
beforeEach(() => {
  reads = new LargeReads(new URL('../../../../../src/service/snapshot/content-views.ts', import.meta.url));
});
afterEach(() => reads.close());

/** A read that waits until the returned function is called. */
function block(org = 'acme'): { readonly end: () => void; readonly read: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const { signal } = new AbortController();
  return {
    end: () => {
      resolve(undefined);
    },
    read: reads.run({ org, bytes: large, signal }, () => promise),
  };
}

describe('reads of large contents', () => {
  it.each([
    ['small contents', 1024],
    ['large contents', large],
  ])('compute the same for %s', async (_name, bytes) => {
    const { signal } = new AbortController();
    const found = await reads.run({ org: 'acme', bytes, signal }, (compute) =>
      compute(listContentFingerprints, content),
    );
    expect(found).toEqual([first, second]);
  });

  it('wait for each other, and not those of small contents', async () => {
    const { signal } = new AbortController();
    const order: string[] = [];
    const note = (name: string) => () => {
      order.push(name);
      return Promise.resolve();
    };
    const blocked = block();
    const waiting = reads.run({ org: 'other', bytes: large, signal }, note('large'));
    await reads.run({ org: 'acme', bytes: 1024, signal }, note('small'));
    blocked.end();
    await Promise.all([blocked.read, waiting]);
    expect(order).toEqual(['small', 'large']);
  });

  it('are not carried out after the client has left', async () => {
    const controller = new AbortController();
    const blocked = block();
    let isRead = false;
    const left = reads.run({ org: 'acme', bytes: large, signal: controller.signal }, () => {
      isRead = true;
      return Promise.resolve();
    });
    controller.abort();
    blocked.end();
    await expect(left).rejects.toMatchObject({ status: 503 });
    expect(isRead).toBe(false);
  });

  it('are stopped when the client leaves', async () => {
    const controller = new AbortController();
    const read = reads.run({ org: 'acme', bytes: large, signal: controller.signal }, (compute) => {
      const computed = compute(listContentFingerprints, content);
      controller.abort();
      return computed;
    });
    await expect(read).rejects.toMatchObject({ status: 503 });
    await reads.run({ org: 'acme', bytes: large, signal: new AbortController().signal }, (compute) =>
      compute(listContentFingerprints, content),
    );
  });

  it('are rejected if too many of the organization wait', async () => {
    const blocked = Array.from({ length: 16 }, () => block());
    await expect(block().read).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    const other = block('other');
    for (const { end } of [...blocked, other]) end();
    await Promise.all([...blocked, other].map(({ read }) => read));
    const again = block();
    again.end();
    await again.read;
  });
});
