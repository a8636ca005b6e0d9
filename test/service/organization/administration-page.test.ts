import { expect, it } from '@jest/globals';
import { createServiceAccount } from '../../support/administration.ts';
import { shareTestService } from '../../support/service.ts';
import { call } from '../../support/service-call.ts';

const openOrganization = shareTestService();

it('says whose keys it leaves out', async () => {
  const service = await openOrganization();
  for (let index = 0; index < 102; index += 1) await createServiceAccount(service, { name: `account-${index}` });
  const { text } = await call(service, { at: `${service.url}/${service.org}/administration`, path: '' });
  expect(text).toContain('The keys of 2 more members and service accounts are not shown here.');
});
