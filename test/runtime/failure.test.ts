import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeError, Failure, UserError, ExternalError, type Problem } from '../../src/runtime/failure.ts';

describe('a mistake', () => {
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

  it('holds every problem that was seen, a line each', () => {
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

describe('a trouble', () => {
  it('keeps its cause', () => {
    const cause = new Error('connect ECONNREFUSED');
    const trouble = new ExternalError({ what: 'no answer', remedy: 'Try again.' }, { cause });
    expect(trouble).toMatchObject({
      name: 'ExternalError',
      kind: 'external',
      message: 'no answer',
      remedy: 'Try again.',
    });
    expect(trouble.cause).toBe(cause);
  });
});

describe('the words of something that was thrown', () => {
  it('include its chain of causes', () => {
    const error = new Error('fetch failed', { cause: new Error('socket closed', { cause: 'by the peer' }) });
    expect(describeError(error)).toBe('fetch failed: socket closed: by the peer');
  });

  it('say nothing twice', () => {
    const error = new Error('write EPIPE', { cause: new Error('EPIPE') });
    expect(describeError(error)).toBe('write EPIPE');
  });

  it('name every address of a host that refused', () => {
    const refused = new AggregateError([
      new Error('connect ECONNREFUSED ::1'),
      new Error('connect ECONNREFUSED 127.0.0.1'),
    ]);
    expect(describeError(refused)).toBe('connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1');
  });

  it('are the name of an error without a message', () => {
    expect(describeError(new TypeError())).toBe('TypeError');
  });

  it('are cut where causes go round in a circle', () => {
    const one = new Error('one');
    const two = new Error('two', { cause: one });
    one.cause = two;
    expect(describeError(one)).toBe('one: two');
  });

  it('are there for an object that cannot be made a text', () => {
    expect(describeError(Object.create(null))).toBe('[object Object]');
  });

  it('are there for anything that can be thrown', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true }), (thrown) => {
        expect(describeError(thrown)).not.toBe('');
      }),
    );
  });
});
