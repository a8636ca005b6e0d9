import { firstLine } from '../../contract/commit.ts';
import { listAt, textAt, valueAt } from '../../runtime/untrusted-data.ts';

/** The maximum number of words of a record, and of characters of a word. */
const maximumWords = 100;
const maximumLength = 64;

/** The maximum number of pull requests of a record whose words are kept. */
const maximumPullRequests = 20;

/**
 * The words by which people find the trail of a record: author, branch and first line of the message of its commit, number
 * and author of its pull requests, the run that sent it, and the name of an artifact or file.
 *
 * @param record a report of a trail or an artifact, or the document of an attestation
 */
export function toSearchWords(record: unknown, filename = ''): readonly string[] {
  const commit = valueAt(record, 'git_commit_info');
  const pullRequests = listAt(record, 'pull_requests').slice(0, maximumPullRequests);
  const texts = [
    textAt(record, 'filename'),
    filename,
    numbersOfPath(textAt(record, 'origin_url') ?? textAt(record, 'build_url')),
    ...pullRequests.flatMap((one) => [
      numbersOfPath(textAt(one, 'url')),
      textAt(one, 'author'),
      textAt(one, 'head_ref'),
    ]),
    ...['author', 'author_username', 'branch'].map((name) => textAt(commit, name)),
    firstLine(textAt(commit, 'message')),
  ];
  return splitWords(texts.join(' '));
}

/** `https://github.com/acme/web/actions/runs/123` has the number of the run. */
const numbersOfPath = (address = ''): string => (address.match(/(?<=\/)\d+(?=[/?#]|$)/gu) ?? []).join(' ');

/** More marks than a letter can have (UAX #15, Stream-Safe Text Format); normalizing takes the square of their number. */
const furtherMarks = /(?<=\p{M}{30})\p{M}+/gu;

/** Splits a text into its words, without duplicates. Names and versions such as `build-7` and `1.2.3` are one word. */
export function splitWords(text: string): readonly string[] {
  const found =
    text
      .replaceAll(furtherMarks, '')
      .normalize()
      .toLowerCase()
      .match(/[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?/gu) ?? [];
  return [...new Set(found.map((word) => Array.from(word).slice(0, maximumLength).join('')))].slice(0, maximumWords);
}
