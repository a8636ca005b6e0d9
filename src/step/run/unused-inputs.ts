import type { Operation } from '../../operations/operation.ts';
import { allOperationNames } from '../../operations/operation-names.ts';
import { operations } from '../../operations/registry.ts';
import type { Problem } from '../../runtime/failure.ts';
import { findSimilarWord } from '../../runtime/similar-word.ts';
import { commonNames } from './common-inputs.ts';

/**
 * Checks the names of inputs that the operation does not use. Only the inputs of all operations together tell a misspelt
 * name from the input of another operation, so all are loaded, which few steps have to wait for.
 *
 * @param operation undefined if it is not known; then it is also not known which inputs it uses
 * @returns problems of names that are probably misspelt: the input that is meant would silently not count
 */
export async function checkUnusedInputs(
  names: readonly string[],
  operation: Operation | undefined,
): Promise<{ readonly problems: readonly Problem[]; readonly warnings: readonly string[] }> {
  const all = await Promise.all(allOperationNames.map((name) => operations[name]()));
  const usable = [...(operation === undefined ? [] : namesOf(operation)), ...commonNames];
  const known = [...usable, ...all.flatMap(namesOf)];
  const problems: Problem[] = [];
  const warnings: string[] = [];
  for (const name of names) {
    const meant = known.includes(name) ? undefined : (findSimilarWord(name, usable) ?? findSimilarWord(name, known));
    if (meant !== undefined) problems.push(misspelt(name, meant));
    else if (!known.includes(name))
      warnings.push(`\`${name}\` is not an input of this action; remove it from \`with:\`.`);
    else if (operation !== undefined) {
      warnings.push(`\`${name}\` is not used by ${operation.name}; remove it from \`with:\`.`);
    }
  }
  return { problems, warnings };
}

function namesOf({ inputs, unsupported = [] }: Operation): readonly string[] {
  return [...Object.values(inputs).map(({ input }) => input.name), ...unsupported.map(({ name }) => name)];
}

function misspelt(name: string, meant: string): Problem {
  return {
    input: name,
    what: `\`${name}\` is not an input of this action`,
    remedy: `Did you mean \`${meant}\`? Correct the name, or remove the input.`,
  };
}
