import { listServiceAccounts as endpoint, type ServiceAccount } from '../contract/service-account.ts';
import { formatTime } from './format-time.ts';
import { defineOperation } from './operation.ts';
import { code, fact, listTable, plain, type Text } from './report.ts';
import { pluralize } from './sentences.ts';

/** Operation 13: lists the service accounts of the organization. */
export const listServiceAccounts = defineOperation({
  name: 'list-service-accounts',
  endpoint,
  gate: 'ignore',
  inputs: {},
  async run(_inputs, { client, org }) {
    const { body: accounts } = await client.call(endpoint, { parameters: { org } });
    const admins = accounts.filter(({ privilege }) => privilege === 'admin').length;
    return {
      outcome: 'done',
      conclusion: `Organization ${org} has ${pluralize(accounts.length, 'service account')}, ${admins} of them with admin privilege.`,
      response: accounts,
      count: accounts.length,
      report: {
        subject: `Service accounts of organization ${org}`,
        facts: [
          ...fact('Organization', org),
          ...fact('Service accounts', String(accounts.length)),
          ...fact('With admin privilege', String(admins)),
        ],
        tables: listTable('Service accounts', columns, accounts.map(toRow)),
      },
    };
  },
});

const columns = ['Name', 'Display name', 'Privilege', 'Description', 'Created', 'Created by'];

function toRow(account: ServiceAccount): readonly Text[] {
  return [
    code(account.name),
    plain(account.display_name ?? ''),
    plain(account.privilege ?? ''),
    plain(account.description ?? ''),
    plain(formatTime(account.created_at) ?? ''),
    plain(account.creating_user_id ?? ''),
  ];
}
