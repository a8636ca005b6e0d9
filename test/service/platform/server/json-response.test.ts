import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SerializedJson } from '../../../../src/service/platform/server/json-response.ts';
import { codePoint } from '../../../support/code-point.ts';

describe('a value that is serialized once', () => {
  it('has the JSON of the value, in UTF-8', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: codePoint }), (value) => {
        expect(SerializedJson.from(value).bytes.toString('utf8')).toBe(JSON.stringify(value));
      }),
    );
  });
});
