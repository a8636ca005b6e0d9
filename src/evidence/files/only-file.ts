import { UserError } from '../../runtime/failure.ts';
import { resolveFiles, type MatchedFile } from './resolve.ts';

/** The most files that a complaint lists. */
const mostListed = 10;

/**
 * The one file that the lines stand for.
 *
 * @param purpose what the file holds, for the words of an error: `the policy`
 * @throws UserError where they stand for none, or for more than one
 */
export async function resolveOnlyFile(
  patterns: readonly string[],
  workspace: string,
  purpose: string,
): Promise<MatchedFile> {
  const found = await resolveFiles({ patterns, workspace });
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const listed = found.slice(0, mostListed).map(({ name }) => `\n  ${name}`);
  const rest = found.length > mostListed ? `\n  and ${found.length - mostListed} more` : '';
  throw new UserError({
    input: 'files',
    what: `\`files\` must name exactly one file, ${purpose}, and stands for ${found.length}:${listed.join('')}${rest}`,
    remedy: 'Name the one file by its path.',
  });
}
