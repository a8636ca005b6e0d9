import { maximumFileBytes } from '../contract/limits.ts';
import { type Problem, UserError } from '../runtime/failure.ts';
import { isMapping, textAt } from '../runtime/untrusted-data.ts';
import type { MatchedFile } from './files/resolve-files.ts';
import { readTextFile } from './files/text-file.ts';

/**
 * Checks what the interface describes of a policy file: a YAML mapping with `_schema`. The service checks the rules.
 *
 * @returns the URL of the policy's schema
 * @throws UserError if it is not a policy, with the line and the reason
 */
export async function checkPolicyFile(file: MatchedFile): Promise<string> {
  const text = await readTextFile(file, { purpose: 'the policy', maximumBytes: maximumFileBytes });
  const document = await parseYaml(text, file.name);
  if (!isMapping(document)) throw new UserError(createNotAPolicyProblem(`${file.name} is YAML, but not a mapping`));
  const schema = textAt(document, '_schema');
  if (schema === undefined) {
    const fault = Object.hasOwn(document, '_schema') ? 'has a `_schema` that is not a string' : 'has no `_schema`';
    throw new UserError(createNotAPolicyProblem(`${file.name} ${fault}`));
  }
  return schema;
}

async function parseYaml(text: string, name: string): Promise<unknown> {
  const { load, YAMLException } = await import('js-yaml');
  try {
    return load(text);
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw thrown;
    const { reason, mark } = thrown;
    // Counted from 0; undefined if the error concerns the whole text.
    const where = mark === undefined ? '' : `, line ${mark.line + 1}, column ${mark.column + 1}`;
    throw new UserError({
      input: 'files',
      what: `${name} is not YAML${where}: ${reason}`,
      remedy: 'Correct the file; a policy is one YAML document.',
    });
  }
}

function createNotAPolicyProblem(what: string): Problem {
  return {
    input: 'files',
    what: `${what}, so it is not a policy`,
    remedy: "Begin the file with a line `_schema:` that contains the URL of your service's policy schema.",
  };
}
