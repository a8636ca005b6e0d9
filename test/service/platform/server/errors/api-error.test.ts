import { describe, expect, it } from '@jest/globals';
import { conforms } from '../../../../../src/contract/check.ts';
import { errorBody } from '../../../../../src/contract/errors.ts';
import { ApiError, validationError } from '../../../../../src/service/platform/server/errors/api-error.ts';

const answer = { status: 404, message: "No '{thing}' in '{place}'", when: 'always' };

describe('an ApiError', () => {
  it('fills in the placeholders of its message, each once', () => {
    const refusal = new ApiError(answer, { values: { thing: '{place}', place: 'here' } });
    expect(refusal.body).toEqual({ message: "No '{place}' in 'here'" });
  });

  it('keeps a placeholder without a value', () => {
    expect(new ApiError(answer).message).toBe("No '{thing}' in '{place}'");
  });

  it('keeps a field called __proto__', () => {
    const { body } = validationError(['__proto__', 'is not a known field']);
    expect(JSON.stringify(body.errors)).toBe('{"__proto__":"is not a known field"}');
    expect(conforms(errorBody, body)).toBe(true);
  });
});
