import { expect, it } from '@jest/globals';
import {
  blob,
  flag,
  flagOrNull,
  isSet,
  json,
  number,
  oneOf,
  optionalJson,
  optionalNumber,
  optionalText,
  text,
  toRecord,
} from '../../../../src/service/platform/database/rows.ts';

it('tells a column that the statement has not selected from one without a value', () => {
  const optional = { isSet, flagOrNull, optionalNumber, optionalText, optionalJson };
  for (const [name, read] of Object.entries({ ...optional, text, number, blob, flag, json, oneOf: oneOf(['a']) })) {
    const toValue = toRecord<{ readonly value: unknown }>({ value: read });
    expect(() => [name, toValue({})]).toThrow();
    if (name in optional) expect([name, toValue({ value: null }).value ?? false]).toEqual([name, false]);
  }
});
