import type { AssertionScope } from '../../contract/artifact-assertion.ts';

/** The criteria that an artifact is judged by. */
export interface Criterion {
  readonly flow: string | undefined;
  readonly environment: string | undefined;
  readonly policies: readonly string[] | undefined;
}

/** The criteria that an answer must confirm. */
export function expectedScope({ environment, policies }: Criterion): AssertionScope {
  if (environment !== undefined) return 'environment';
  return policies === undefined ? 'flow' : 'policy';
}

/** The criteria as the end of a sentence: `by the policies of environment prod, in flow web`. */
export function describeCriterion({ flow, environment, policies }: Criterion): string {
  const where = flow === undefined ? '' : `, in flow ${flow}`;
  if (environment !== undefined) return `by the policies of environment ${environment}${where}`;
  if (policies !== undefined)
    return `by ${policies.length === 1 ? 'policy' : 'the policies'} ${policies.join(', ')}${where}`;
  return flow === undefined ? 'across all flows' : `in flow ${flow}`;
}
