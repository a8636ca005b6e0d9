import { isDoneAlready } from '../client/unconfirmed-call.ts';
import { deleteServiceAccount as endpoint } from '../contract/service-account.ts';
import { required } from './inputs/input.ts';
import { serviceAccount } from './inputs/organization-inputs.ts';
import { defineOperation, type OperationResult } from './operation.ts';
import { fact } from './report.ts';

/** Operation 15: deletes a service account and its keys. */
export const deleteServiceAccount = defineOperation({
  name: 'delete-service-account',
  endpoint,
  gate: 'ignore',
  inputs: { name: required(serviceAccount) },
  async run({ name }, { client, org }) {
    try {
      const { body } = await client.call(endpoint, { parameters: { org, name } });
      return {
        outcome: 'done',
        state: 'deleted',
        conclusion: `Service account ${name} was deleted from organization ${org}; its API keys no longer work.`,
        response: body,
        report: createReport(name, org, 'deleted'),
      };
    } catch (error) {
      if (!isDoneAlready(error)) throw error;
      const message = error.facts.serviceMessage ?? '';
      return {
        outcome: 'done',
        conclusion: `Organization ${org} has no service account ${name}: an attempt to delete it got no clear answer, and the next one returned "${message}".`,
        response: { message },
        report: createReport(name, org, 'no longer exists'),
      };
    }
  },
});

function createReport(name: string, org: string, end: string): OperationResult['report'] {
  return {
    subject: `Service account ${name}`,
    facts: [...fact('Organization', org), ...fact('Name', `${name} (${end})`)],
  };
}
