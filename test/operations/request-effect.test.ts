import { describe, expect, it } from '@jest/globals';
import { TransportError } from '../../src/http/transport.ts';
import { toRequestEffect } from '../../src/operations/request-effect.ts';
import { answersInTurn, performOperation } from '../support/perform-operation.ts';

const words = { created: 'created', otherwise: 'updated' } as const;
const lost = new TransportError('timeout', true, 'no complete answer within 30 s');
const refused = new TransportError('unreachable', false, 'connect ECONNREFUSED');

describe('toRequestEffect', () => {
  it.each([
    [201, false, 'created'],
    [200, false, 'updated'],
    [201, true, 'created'],
    [200, true, undefined],
    [202, false, undefined],
  ])('of status %d, with an earlier attempt that may have arrived: %p, is %p', (status, earlierArrived, word) => {
    expect(toRequestEffect({ status, earlierArrived }, words)).toBe(word);
  });
});

describe('create-flow after a repeated request', () => {
  const inputs = { flow: 'web', description: 'The web', template: 'unit' };

  it('does not report "updated" if its first attempt may have created it', async () => {
    const { result } = await performOperation('create-flow', inputs, answersInTurn(lost, { status: 200, body: 'OK' }));
    expect(result).toMatchObject({
      outcome: 'done',
      conclusion: 'Flow web was created or updated in organization acme.',
    });
    expect(result.state).toBeUndefined();
  });

  it.each([
    ['created', lost, 201],
    ['updated', refused, 200],
  ])('says %s if that is certain', async (state, first, status) => {
    const { result } = await performOperation('create-flow', inputs, answersInTurn(first, { status, body: 'OK' }));
    expect(result).toMatchObject({ state, conclusion: `Flow web was ${state} in organization acme.` });
  });
});
