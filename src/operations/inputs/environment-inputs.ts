import { environmentName, policyName } from '../../contract/names.ts';
import { lines, schemaText } from './input-types.ts';

const nameRule = 'a letter or digit, then letters, digits, `.`, `-` and `_`';
const nameRemedy = 'Copy the name from the service.';

export const environment = schemaText(
  'environment',
  environmentName,
  `the name of an environment: ${nameRule}`,
  nameRemedy,
);

/** The members of a logical environment, one per line. */
export const includedEnvironments = lines(
  schemaText('included-environments', environmentName, `names of environments, one per line: ${nameRule}`, nameRemedy),
);

export const policy = schemaText('policy', policyName, `the name of a policy: ${nameRule}`, nameRemedy);

/** The names of policies, one per line. */
export const policies = lines(
  schemaText('policy', policyName, `names of policies, one per line: ${nameRule}`, nameRemedy),
);
