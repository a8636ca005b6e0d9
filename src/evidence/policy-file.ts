import { maximumFileBytes } from '../contract/limits.ts';
import { UserError, type Problem } from '../runtime/failure.ts';
import { isMapping, textAt } from '../runtime/untrusted-data.ts';
import type { MatchedFile } from './files/resolve-files.ts';
import { readTextFile } from './files/text-file.ts';

/** What the step looks at in a policy; its rules are the service's to judge. */
export interface PolicyFile {
  /** The address of the schema that the policy follows. */
  readonly schema: string;
  /** The whole file, without a byte order mark. */
  readonly text: string;
}

/**
 * Reads a policy file as far as the interface describes it: YAML, a mapping with `_schema`.
 *
 * @throws UserError if it is none, with the line and the reason
 */
export async function readPolicyFile(file: MatchedFile): Promise<PolicyFile> {
  const text = await readTextFile(file, { purpose: 'the policy', maximumBytes: maximumFileBytes });
  const document = await parseYaml(text, file.name);
  if (!isMapping(document)) throw new UserError(notAPolicy(`${file.name} is YAML, but not a mapping`));
  const schema = textAt(document, '_schema');
  if (schema === undefined) {
    const fault = Object.hasOwn(document, '_schema') ? 'has a `_schema` that is not a text' : 'has no `_schema`';
    throw new UserError(notAPolicy(`${file.name} ${fault}`));
  }
  return { schema, text };
}

async function parseYaml(text: string, name: string): Promise<unknown> {
  const { load, YAMLException } = await import('js-yaml');
  try {
    return load(text);
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw thrown;
    const { reason, mark } = thrown;
    // Counted from 0; there is none where the whole text is to blame.
    const where = mark === undefined ? '' : `, line ${mark.line + 1}, column ${mark.column + 1}`;
    throw new UserError(
      {
        input: 'files',
        what: `${name} is not YAML${where}: ${reason}`,
        remedy: 'Correct the file; a policy is one YAML document.',
      },
      { cause: thrown },
    );
  }
}

function notAPolicy(what: string): Problem {
  return {
    input: 'files',
    what: `${what}, so it is not a policy`,
    remedy: 'Begin the file with a line `_schema:` that holds the address of the policy schema of your service.',
  };
}
