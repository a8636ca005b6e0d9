import { getServiceAccount as endpoint } from '../contract/service-account.ts';
import { formatTime } from './format-time.ts';
import { required } from './inputs/input.ts';
import { serviceAccount } from './inputs/organization-inputs.ts';
import { defineOperation } from './operation.ts';
import { fact } from './report.ts';

/** Operation 14: shows a service account. */
export const getServiceAccount = defineOperation({
  name: 'get-service-account',
  endpoint,
  gate: 'ignore',
  inputs: { name: required(serviceAccount) },
  async run({ name }, { client, org }) {
    const { body: account } = await client.call(endpoint, { parameters: { org, name } });
    const privilege = account.privilege === undefined ? '' : ` has the privilege ${account.privilege} and`;
    return {
      outcome: 'done',
      conclusion: `Service account ${account.name}${privilege} belongs to organization ${org}.`,
      response: account,
      report: {
        subject: `Service account ${account.name}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Name', account.name),
          ...fact('Display name', account.display_name),
          ...fact('Privilege', account.privilege),
          ...fact('Description', account.description),
          ...fact('Created', formatTime(account.created_at)),
          ...fact('Created by', account.creating_user_id),
          ...fact('For webhooks', account.for_webhook === undefined ? undefined : account.for_webhook ? 'yes' : 'no'),
        ],
      },
    };
  },
});
