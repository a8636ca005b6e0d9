import { ExternalError, UserError, type Failure, type Problem } from '../runtime/failure.ts';

/** A single failure as it is; several as one, with the conclusion as its message and the remedy of each. */
export function combineFailures(failures: readonly Failure[], conclusion: string): Failure {
  const [first, ...others] = failures;
  if (first !== undefined && others.length === 0) return first;
  const text = { what: conclusion, remedy: [...new Set(failures.map(({ remedy }) => remedy))].join('\n') };
  if (failures.some(({ kind }) => kind === 'external')) return new ExternalError(text);
  return new UserError({ input: 'fingerprint', ...text } satisfies Problem);
}
