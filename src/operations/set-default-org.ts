import { setDefaultOrg as endpoint } from '../contract/user.ts';
import { defineOperation } from './operation.ts';
import { fact } from './report.ts';

/** Operation 16: sets the default organization of the API key's user. */
export const setDefaultOrg = defineOperation({
  name: 'set-default-org',
  endpoint,
  gate: 'ignore',
  inputs: {},
  async run(_inputs, { client, org }) {
    const { body } = await client.call(endpoint, { parameters: { org } });
    const { default_org_name: name = org } = body;
    return {
      outcome: 'done',
      state: name,
      conclusion: `The default organization of the API key's user is now ${name}.`,
      response: body,
      report: {
        subject: 'Default organization',
        facts: fact('Default organization', name),
      },
    };
  },
});
