import { deleteServiceAccount as endpoint } from '../contract/service-account.ts';
import { required } from './inputs/input.ts';
import { serviceAccount } from './inputs/organization.ts';
import { defineOperation } from './operation.ts';
import { fact } from './report.ts';

/** Operation 15: deletes a service account, and with it its keys. */
export const deleteServiceAccount = defineOperation({
  name: 'delete-service-account',
  endpoint,
  gate: 'ignore',
  inputs: { name: required(serviceAccount) },
  async run({ name }, { client, org }) {
    const { body } = await client.call(endpoint, { parameters: { org, name } });
    return {
      outcome: 'done',
      state: 'deleted',
      conclusion: `Service account ${name} was deleted from organization ${org}; its API keys open nothing any more.`,
      response: body,
      report: {
        subject: `Service account ${name}`,
        facts: [...fact('Organization', org), ...fact('Name', `${name} (deleted)`)],
        tables: [],
      },
    };
  },
});
