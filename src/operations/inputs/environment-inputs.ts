import { environmentName, policyName } from '../../contract/names.ts';
import { parseSnapshotExpression, parseSnapshotInterval } from '../../contract/snapshot-expression.ts';
import type { Input } from './input.ts';
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

export const snapshot1 = snapshotExpression('snapshot-1');

export const snapshot2 = snapshotExpression('snapshot-2');

export const interval: Input<string> = {
  name: 'interval',
  parse(value) {
    const parsed = parseSnapshotInterval(value);
    if (!('problem' in parsed)) return { value };
    return {
      problem: `must be an interval of snapshots: ${parsed.problem}`,
      remedy: 'Write, for example, 3..7, ~5..NOW or @{2.days.ago}..NOW; the environment goes in `environment`.',
    };
  },
};

function snapshotExpression(name: string): Input<string> {
  return {
    name,
    parse(value) {
      const parsed = parseSnapshotExpression(value);
      if (!('problem' in parsed)) return { value };
      return {
        problem: `must select a snapshot: ${parsed.problem}`,
        remedy: 'Write, for example, prod (its latest), prod#12 (number 12) or prod~1 (the one before the latest).',
      };
    },
  };
}
