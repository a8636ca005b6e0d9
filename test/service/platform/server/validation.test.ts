import { describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { ApiError } from '../../../../src/service/platform/server/errors/api-error.ts';
import { validatePath, validateQuery } from '../../../../src/service/platform/server/validation.ts';

const query = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1 })),
    from: Type.Optional(Type.Number()),
    reverse: Type.Optional(Type.Boolean()),
    trail: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
const errorsOf = (parameters: unknown): unknown => {
  try {
    validateQuery(query, parameters);
  } catch (error) {
    if (error instanceof ApiError) return error.body.errors;
    throw error;
  }
  return undefined;
};

describe('the parameters of a path and a query', () => {
  it.each([
    [{ page: '3' }, { page: 3 }],
    [{ from: '1700000000.25' }, { from: 1_700_000_000.25 }],
    [{ reverse: 'True' }, { reverse: true }],
    [{ reverse: 'false' }, { reverse: false }],
    [{ trail: '3' }, { trail: '3' }],
    [{}, {}],
    [Object.create(null), {}],
    [undefined, {}],
  ])('%j are converted to their declared types', (parameters: unknown, read) => {
    expect(validateQuery(query, parameters)).toEqual(read);
  });

  it.each([
    [{ page: '1.5' }, ['query.page']],
    [{ page: '0' }, ['query.page']],
    [{ page: '' }, ['query.page']],
    [{ page: ' 1' }, ['query.page']],
    [{ page: '1e3' }, ['query.page']],
    [{ page: '9'.repeat(30) }, ['query.page']],
    [{ reverse: 'yes' }, ['query.reverse']],
    // Only the Unicode rules take the long s for an s.
    [{ reverse: 'falſe' }, ['query.reverse']],
    [{ trail: ['a', 'b'] }, ['query.trail']],
    // PostgreSQL answers a comparison with NUL with an error, which the other reads of its group get, too.
    [{ trail: 'a\0' }, ['query.trail']],
    [{ other: '1', page: 'x' }, ['query.other', 'query.page']],
  ])('%j are rejected by name', (parameters, fields) => {
    expect(Object.keys(Object(errorsOf(parameters)) as object).sort()).toEqual(fields);
  });

  it('are shown as they were sent', () => {
    const parameters = { page: '1.5', reverse: 'constructor' };
    expect(errorsOf(parameters)).toEqual({
      'query.page': 'must be integer [input: 1.5]',
      'query.reverse': 'must be boolean [input: constructor]',
    });
  });

  it('of a path have the prefix path', () => {
    const path = Type.Object({ number: Type.Integer() });
    expect(validatePath(path, { number: '12' })).toEqual({ number: 12 });
    expect(() => validatePath(path, { number: 'x' })).toThrow('Input payload validation failed');
  });
});
