import { describe, expect, it } from '@jest/globals';
import type { EndpointCaller } from '../../../src/client/endpoint-call.ts';
import { ComplianceClient } from '../../../src/client/client.ts';
import { findAttestation } from '../../../src/client/records/find-attestation.ts';
import { answeringTransport, jsonAnswer, type AnsweringTransport } from '../../support/answering-transport.ts';
import { instantClock, startOfTime } from '../../support/clock.ts';
import { collectingLog } from '../../support/log.ts';

const sent = {
  key: 'attest-sonar-1',
  parameters: { org: 'acme', flow_name: 'web', trail_name: 'v1' },
  document: {},
  file: undefined,
  since: startOfTime,
};

function clientOf(transport: AnsweringTransport): EndpointCaller {
  return new ComplianceClient(
    {
      baseUrl: new URL('https://compliance.example.com/api/v2'),
      apiToken: 'a-key',
      authenticationMethod: 'bearer',
      filePartStyle: 'indexed',
    },
    {
      clock: instantClock(),
      random: () => 0,
      log: collectingLog(),
      transport,
      retryPolicy: { requestTimeout: 60_000, retries: 0 },
    },
  );
}

/** A list of pages, each with the keys of its attestations. */
function listOf(...pages: readonly (readonly string[])[]): AnsweringTransport {
  return answeringTransport(({ url }) => {
    const page = Number(url.searchParams.get('page'));
    const data = (pages[page - 1] ?? []).map((key) => ({ attestation_id: key, user_data: { idempotency_key: key } }));
    return jsonAnswer(200, { data, pagination: { total: 9, page, per_page: 100, page_count: pages.length } });
  });
}

describe('findAttestation', () => {
  it('finds the attestation by its key on any page, since shortly before it was sent', async () => {
    const transport = listOf(['a', 'b'], ['c', sent.key], ['d']);
    await expect(findAttestation(sent, clientOf(transport))).resolves.toMatchObject({ attestation_id: sent.key });
    expect(transport.requests.map(({ url }) => url.search)).toEqual([
      `?page=1&per_page=100&from_timestamp=${startOfTime / 1000 - 3600}`,
      `?page=2&per_page=100&from_timestamp=${startOfTime / 1000 - 3600}`,
    ]);
  });

  it('does not find another one', async () => {
    await expect(findAttestation(sent, clientOf(listOf(['a'], ['b'])))).resolves.toBeUndefined();
    await expect(findAttestation(sent, clientOf(listOf()))).resolves.toBeUndefined();
  });

  it('does not say that it is missing if the list has no end', async () => {
    const endless = listOf(...Array.from({ length: 101 }, () => ['a']));
    await expect(findAttestation(sent, clientOf(endless))).rejects.toThrow('could not be read to its end');
    await expect(findAttestation(sent, clientOf(listOf([], ['a'])))).rejects.toThrow('could not be read to its end');
  });
});
