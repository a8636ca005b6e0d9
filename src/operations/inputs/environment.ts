import { environmentKinds } from '../../contract/environment.ts';
import { maximumTextLength } from '../../contract/limits.ts';
import { environmentName, policyName } from '../../contract/names.ts';
import { conforming, lines, oneOf, text } from './parse.ts';

const nameRule = 'a letter or digit, then letters, digits, `.`, `-` and `_`';
const nameRemedy = 'Use a name of these characters, as it stands in the service.';

/** The name of an environment. */
export const environment = conforming(
  'environment',
  environmentName,
  `the name of an environment: ${nameRule}`,
  nameRemedy,
);

/** The kind of an environment. */
export const environmentType = oneOf('environment-type', environmentKinds);

/** The members of a logical environment, one a line. */
export const includedEnvironments = lines(
  conforming('included-environments', environmentName, `names of environments, one a line: ${nameRule}`, nameRemedy),
);

/** The name of one policy. */
export const policy = conforming('policy', policyName, `the name of a policy: ${nameRule}`, nameRemedy);

/** The names of policies, one a line. */
export const policies = lines(
  conforming('policy', policyName, `names of policies, one a line: ${nameRule}`, nameRemedy),
);

/** What is new in a version of a policy. */
export const comment = text('comment', maximumTextLength);
