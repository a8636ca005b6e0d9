import { forInput } from '../../evidence/files/file-problems.ts';
import { type MatchedFile, resolveFiles } from '../../evidence/files/resolve-files.ts';
import type { OperationContext } from '../operation.ts';

/**
 * Finds the files that evidence is read from, by the same rules as attachments, because they are attached.
 *
 * @param input the input with the patterns
 * @throws UserError if a pattern matches nothing, or a file cannot be read
 */
export function findSourceFiles(
  input: string,
  patterns: readonly string[],
  { includeHiddenFiles: includesHidden }: { readonly includeHiddenFiles: boolean },
  { workspace, call: { log } }: OperationContext,
): Promise<readonly MatchedFile[]> {
  return forInput(input, () => resolveFiles({ patterns, workspace, attachmentRules: { includesHidden, log } }));
}
