import { describe, expect, it } from '@jest/globals';
import { KeyExpiryWarning } from '../../src/client/key-expiry.ts';
import { getArtifact } from '../../src/contract/artifact.ts';
import { openTestClient } from '../support/client.ts';
import { startOfTime } from '../support/clock.ts';
import { closeAfterEach } from '../support/close-after-each.ts';
import { answers } from '../support/faults.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { collectingLog } from '../support/log.ts';

const opened = closeAfterEach();
const warning =
  '`api-token` expires on 2026-11-22: have an admin of the organization rotate the key, and store the new one in the ' +
  'secret before then';

describe('a key that expires soon', () => {
  it('is a warning, once for all calls of a step', async () => {
    const lookUp = { parameters: { org: 'acme', flow_name: 'web', fingerprint: 'abcde' } };
    const headers = { 'api-key-expires-at': '@1795305600' };
    const server = opened(await startFaultyServer(answers(404, { message: 'Flow not found' }, headers)));
    const { client, log } = opened(openTestClient(new URL('/api/v2', server.url)));
    await expect(client.call(getArtifact, lookUp)).rejects.toThrow('Flow not found');
    await expect(client.until(startOfTime + 1000).call(getArtifact, lookUp)).rejects.toThrow('Flow not found');
    expect(log.warnings).toEqual([warning]);
  });

  it.each(['', '1795305600', '@-1', '@1795305600.5', '@999999999999', '@1\n::error::x'])(
    'is not read from the header %j',
    (value) => {
      const log = collectingLog();
      new KeyExpiryWarning({ log }).report({ 'api-key-expires-at': value });
      new KeyExpiryWarning({ log }).report({});
      expect(log.warnings).toEqual([]);
    },
  );
});
