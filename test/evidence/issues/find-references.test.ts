import { describe, expect, it } from '@jest/globals';
import { findReferences, listTexts } from '../../../src/evidence/issues/find-references.ts';
import { pushEvent, shas, webhookCommit } from '../../support/events.ts';
import { userErrorOf } from '../../support/user-error.ts';

describe('the texts of a change', () => {
  const commit = { sha1: shas.head, branch: 'WEB-1', message: 'message' };
  const event = pushEvent({ after: shas.head, commits: [webhookCommit(shas.base, { message: 'earlier' })] });

  it('are its branch and message, and the messages of the push', () => {
    expect(listTexts(commit, { event }, false)).toEqual(['WEB-1', 'message', 'earlier']);
    expect(listTexts({ sha1: shas.head, branch: 'WEB-1' }, { event }, true)).toEqual(['WEB-1']);
  });

  it('include the title of its pull request', () => {
    const pullRequest = { pull_request: { title: 'title', head: { sha: shas.head } } };
    expect(listTexts(commit, { event: pullRequest }, false)).toEqual(['WEB-1', 'title', 'message']);
  });

  it('are not those of an event about another commit', () => {
    const other = { ...commit, sha1: shas.merge };
    expect(listTexts(other, { event }, false)).toEqual(['WEB-1', 'message']);
    expect(listTexts(other, { event: { pull_request: { title: 'x', head: { sha: shas.head } } } }, false)).toHaveLength(
      2,
    );
  });
});

describe('references', () => {
  it('are what a pattern matches, or its first group, each once', () => {
    expect(findReferences(['WEB-1 and WEB-2', 'WEB-1'], String.raw`WEB-\d`)).toEqual(['WEB-1', 'WEB-2']);
    expect(findReferences(['refs: 12', 'refs: x'], String.raw`refs: (\d*)`)).toEqual(['12']);
    expect(findReferences(['abc'], 'x*')).toEqual([]);
    expect(findReferences([], 'x')).toEqual([]);
  });

  it('are an error if they are too many', async () => {
    const text = Array.from({ length: 51 }, (_, index) => `WEB-${index}`).join(' ');
    const error = await userErrorOf(() => findReferences([text], String.raw`WEB-\d+`));
    expect(error.problems).toMatchObject([
      { input: 'issue-pattern', what: 'the change has more than 50 different references to issues' },
    ]);
  });

  it('are an error if the text makes the pattern take for ever', async () => {
    const error = await userErrorOf(() => findReferences([`${'a'.repeat(100)}b`], '(?:a+)+$'));
    expect(error.problems).toMatchObject([
      { input: 'issue-pattern', what: expect.stringContaining('took more than 1 s') },
    ]);
  });
});
