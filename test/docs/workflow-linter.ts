import { validate } from '@actions/languageservice/validate';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { actionEntries } from '../support/repository.ts';

/** Returns the problems of a workflow, one line each: `12: Invalid action input 'flwo'`. */
export type WorkflowLinter = (name: string, text: string) => Promise<readonly string[]>;

/**
 * GitHub's own language service, which is behind its editor: the keys and types of workflows, events and permissions,
 * expressions and the contexts that they may use, `needs`, the inputs of this action by action.yml, and those of called
 * workflows. Nothing is fetched, so the inputs of other actions are not checked.
 *
 * @param called the texts of reusable workflows, by their paths in a repository
 */
export function workflowLinter(called: ReadonlyMap<string, string> = new Map()): WorkflowLinter {
  return async (name, text) => {
    // The language service caches by address.
    const document = TextDocument.create(`file:///.github/workflows/${encodeURIComponent(name)}`, 'yaml', 1, text);
    const findings = await validate(document, {
      actionsMetadataProvider: {
        fetchActionMetadata: ({ name, path }) =>
          Promise.resolve({ name, description: '', ...(name === 'compliance-action' ? inputsOf(path) : {}) }),
      },
      fileProvider: {
        getFileContent({ path }) {
          const content = called.get(path);
          if (content === undefined) return Promise.reject(new Error(`there is no ${path}`));
          return Promise.resolve({ name: path, content });
        },
      },
    });
    return findings.map(
      ({ range, message }) => `${range.start.line + 1}: ${typeof message === 'string' ? message : message.value}`,
    );
  };
}

/** @param path the folder of the action in its repository; absent for the root action */
function inputsOf(path: string | undefined): { inputs: Record<string, { description: string; required: boolean }> } {
  const entries = [...actionEntries('inputs', path === undefined || path === '' ? 'action.yml' : `${path}/action.yml`)];
  const inputs: Record<string, { description: string; required: boolean }> = {};
  for (const [name, entry] of entries) {
    inputs[name] = { description: textAt(entry, 'description') ?? '', required: valueAt(entry, 'required') === true };
  }
  return { inputs };
}
