import { firstLine } from '../contract/commit.ts';
import { type Fact, fact } from './report.ts';

/** What an answer or a request says about a commit. */
interface CommitDetails {
  readonly sha1?: string | undefined;
  readonly url?: string | null | undefined;
  readonly message?: string | undefined;
  readonly author?: string | undefined;
}

/** The facts of a commit, as far as they are known. */
export function commitFacts({ sha1, url, message, author }: CommitDetails = {}): readonly Fact[] {
  return [...fact('Commit', sha1, url), ...fact('Commit message', firstLine(message)), ...fact('Author', author)];
}
