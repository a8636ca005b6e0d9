import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeError, ExternalError, Failure, type Problem, UserError } from '../../src/runtime/failure.ts';

describe('a user error', () => {
  it('says what is wrong, and what to do', () => {
    const problem: Problem = { input: 'flow', what: '`flow` is missing', remedy: 'Set `flow`.' };
    const mistake = new UserError(problem);
    expect(mistake).toBeInstanceOf(Failure);
    expect(mistake).toMatchObject({
      name: 'UserError',
      kind: 'user',
      message: '`flow` is missing',
      remedy: 'Set `flow`.',
      problems: [problem],
    });
  });

  it('contains every problem, one per line', () => {
    const problems: [Problem, Problem] = [
      { what: '`flow` is missing', remedy: 'Set `flow`.' },
      { what: '`org` is missing', remedy: 'Set `org`.' },
    ];
    expect(new UserError(problems)).toMatchObject({
      message: '`flow` is missing\n`org` is missing',
      remedy: 'Set `flow`.\nSet `org`.',
      problems,
    });
  });
});

describe('an external error', () => {
  it('keeps its cause', () => {
    const cause = new Error('connect ECONNREFUSED');
    const trouble = new ExternalError({ what: 'no answer', remedy: 'Try again.', cause });
    expect(trouble).toMatchObject({
      name: 'ExternalError',
      kind: 'external',
      message: 'no answer',
      remedy: 'Try again.',
    });
    expect(trouble.cause).toBe(cause);
  });
});

describe('the description of a thrown value', () => {
  it('includes its causes', () => {
    const error = new Error('fetch failed', { cause: new Error('socket closed', { cause: 'by the peer' }) });
    expect(describeError(error)).toBe('fetch failed: socket closed: by the peer');
  });

  it('repeats nothing', () => {
    const error = new Error('write EPIPE', { cause: new Error('EPIPE') });
    expect(describeError(error)).toBe('write EPIPE');
  });

  it('names every address that refused the connection', () => {
    const refused = new AggregateError([
      new Error('connect ECONNREFUSED ::1'),
      new Error('connect ECONNREFUSED 127.0.0.1'),
    ]);
    expect(describeError(refused)).toBe('connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1');
  });

  it('is the name of an error without a message', () => {
    expect(describeError(new TypeError())).toBe('TypeError');
  });

  it('ends if the causes form a cycle', () => {
    const one = new Error('one');
    const two = new Error('two', { cause: one });
    one.cause = two;
    expect(describeError(one)).toBe('one: two');
  });

  it('exists for an object that cannot be converted to a string', () => {
    expect(describeError(Object.create(null))).toBe('[object Object]');
  });

  it('exists for anything that can be thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (thrown) => {
        expect(describeError(thrown)).not.toBe('');
      }),
    );
  });
});
