import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Admission } from '../../../../../src/service/platform/server/bodies/admission.ts';
import { ApiError } from '../../../../../src/service/platform/server/errors/api-error.ts';

/** An answer that is still to be sent, as far as it is looked at. */
function openAnswer(): ServerResponse {
  return Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse;
}

describe('the admission of requests', () => {
  const limits = { perOrganization: 10, total: 15, requests: 2 };
  const isAdmitted = (admission: Admission, org: string, bytes: number, answer = openAnswer()): boolean => {
    try {
      admission.admit(org, bytes, answer);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      expect([error.status, error.headers]).toEqual([503, { 'retry-after': '1' }]);
      return false;
    }
  };

  it('leaves memory for others when an organization uses all of its own', () => {
    const admission = new Admission(limits);
    expect(isAdmitted(admission, 'acme', 10)).toBe(true);
    expect(isAdmitted(admission, 'acme', 1)).toBe(false);
    expect(isAdmitted(admission, 'globex', 5)).toBe(true);
    expect(isAdmitted(admission, 'globex', 1)).toBe(false);
  });

  it('always admits one request of an organization that has none', () => {
    const admission = new Admission(limits);
    expect(isAdmitted(admission, 'acme', 100)).toBe(true);
    expect(isAdmitted(admission, 'globex', 1)).toBe(true);
  });

  it('counts until the response was sent, in any order of the responses', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10 })), fc.array(fc.nat()), (sizes, order) => {
        const admission = new Admission(limits);
        const answers = sizes.map((size) => {
          const answer = openAnswer();
          return isAdmitted(admission, 'acme', size, answer) ? answer : undefined;
        });
        const open = answers.filter((answer) => answer !== undefined);
        for (const place of order) open.splice(place % (open.length + 1), 1)[0]?.emit('close');
        for (const answer of open) answer.emit('close');
        expect(isAdmitted(admission, 'acme', 10)).toBe(true);
        expect(isAdmitted(admission, 'acme', 1)).toBe(false);
      }),
    );
  });

  it('lets one large document be handled at a time, in steps, and small ones meanwhile', async () => {
    const admission = new Admission(limits);
    const happened: string[] = [];
    const handle = (name: string, bytes: number): Promise<void> =>
      admission.handle(bytes, async (pause) => {
        happened.push(`${name} begins`);
        await pause();
        happened.push(`${name} ends`);
      });
    await Promise.all([handle('large', 100_000), handle('larger', 200_000), handle('small', 1000)]);
    expect(happened.filter((what) => !what.startsWith('small'))).toEqual([
      'large begins',
      'large ends',
      'larger begins',
      'larger ends',
    ]);
    expect(happened.indexOf('small ends')).toBeLessThan(happened.indexOf('large ends'));
  });
});
