import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SerializedJson } from '../../../../src/service/platform/server/json-response.ts';
import { attest, report, saveFlow, fingerprintOf, sampleAttestation } from '../../../support/service-samples.ts';
import { call, mappingOf } from '../../../support/service-call.ts';
import { startTestService } from '../../../support/service.ts';

describe('a value that is serialized once', () => {
  it('has the JSON of the value, in UTF-8', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(SerializedJson.from(value).bytes.toString('utf8')).toBe(JSON.stringify(value));
      }),
    );
  });

  it('is sent in every response until something is written, unchanged', async () => {
    const service = await startTestService();
    try {
      await saveFlow(service);
      await report(service, { filename: 'wüb 🚀.tar' });
      const path = `/artifacts/${service.org}/web/fingerprint/${fingerprintOf('abcdef')}`;
      const first = await call(service, { path });
      expect(mappingOf(first)).toMatchObject({ filename: 'wüb 🚀.tar', state: 'INCOMPLETE' });
      expect((await call(service, { path })).body).toEqual(first.body);
      await attest(service, sampleAttestation('OK'));
      expect(mappingOf(await call(service, { path }))).toMatchObject({ state: 'COMPLIANT' });
    } finally {
      await service.stop();
    }
  });
});
