import { conforms } from '../../contract/check.ts';
import { maximumTimestamp } from '../../contract/limits.ts';
import { type TSchema, Type } from '../../contract/schema.ts';
import { isoSeconds } from '../../contract/snapshot-expression.ts';
import { describeError } from '../../runtime/failure.ts';
import { valueAt } from '../../runtime/untrusted-data.ts';
import type { Input, Parsed } from './input.ts';

export function text(name: string, maximumLength = Number.POSITIVE_INFINITY): Input<string> {
  return {
    name,
    parse: (value) =>
      conforms(Type.String({ maxLength: maximumLength }), value) ? { value } : tooLong(value, maximumLength, ''),
  };
}

/**
 * The minimum length of a key or token, in characters. A shorter one cannot be masked: every word that contains it would
 * be unreadable, in the log and in the step's own messages.
 */
export const minimumSecretLength = 16;

/** A key or token: masked, and of characters that fit into a header (RFC 9110, 5.5); others come from a bad copy. */
export function secret(name: string): Input<string> {
  return {
    name,
    secret: true,
    parse(value) {
      if (/\s/u.test(value)) {
        return { problem: 'must not contain white space', remedy: 'Store it again without spaces or line breaks.' };
      }
      if (!/^[\x21-\x7E]+$/u.test(value)) {
        return {
          problem: `must be at least ${minimumSecretLength} visible ASCII characters`,
          remedy: 'Copy it again from where it was issued.',
        };
      }
      if (value.length < minimumSecretLength) {
        return {
          problem: `must have at least ${minimumSecretLength} characters, because a shorter one cannot be masked in the log`,
          remedy: 'Check that the secret holds the whole token; create a longer one if it does.',
        };
      }
      return { value };
    },
  };
}

/**
 * Text that matches a schema of the contract.
 *
 * @param rule completes the sentence "must be …"
 * @param normalize converts other spellings before the check
 */
export function schemaText(
  name: string,
  schema: TSchema,
  rule: string,
  remedy: string,
  normalize: (text: string) => string = (text) => text,
): Input<string> {
  return {
    name,
    parse(text) {
      const value = normalize(text);
      const maximumLength = valueAt(schema, 'maxLength');
      if (typeof maximumLength === 'number' && value.length > maximumLength) {
        return tooLong(value, maximumLength, `${rule}, `);
      }
      return conforms(schema, value) ? { value } : { problem: `must be ${rule}`, remedy };
    },
  };
}

/** @param rule what else it must be, with a trailing comma */
function tooLong(value: string, maximumLength: number, rule: string): Parsed<never> {
  return {
    problem: `must be ${rule}at most ${maximumLength} characters long`,
    remedy: 'Shorten it.',
    part: `${value.slice(0, 40).toWellFormed()}…`,
  };
}

/** A regular expression of JavaScript, with the flag `u`. */
export function regularExpression(name: string, maximumLength: number): Input<string> {
  return {
    name,
    parse(value) {
      if (value.length > maximumLength) return tooLong(value, maximumLength, '');
      try {
        new RegExp(value, 'u');
        return { value };
      } catch (thrown) {
        return {
          problem: `must be a regular expression: ${describeError(thrown)}`,
          remedy: 'Write it as in JavaScript with the flag `u`: `WEB-\\d+`.',
        };
      }
    },
  };
}

export function oneOf<const Word extends string>(name: string, words: readonly Word[]): Input<Word> {
  return {
    name,
    parse(value) {
      const found = words.find((word) => word === value);
      if (found !== undefined) return { value: found };
      const alternatives = formatAlternatives(words);
      return { problem: `must be ${alternatives}`, remedy: `Write ${alternatives}.` };
    },
  };
}

/** `true` or `false`, in the spellings of YAML 1.2's core schema, as @actions/core accepts them. */
export function flag(name: string): Input<boolean> {
  const words: Readonly<Record<string, boolean>> = {
    true: true,
    True: true,
    TRUE: true,
    false: false,
    False: false,
    FALSE: false,
  };
  return {
    name,
    parse(value) {
      const found = Object.hasOwn(words, value) ? words[value] : undefined;
      if (found !== undefined) return { value: found };
      return { problem: 'must be `true` or `false`', remedy: 'Write `true` or `false`.' };
    },
  };
}

/** A whole number within bounds. */
export function integer(name: string, minimum: number, maximum: number, unit: string): Input<number> {
  return {
    name,
    parse(value) {
      const number = /^\d{1,15}$/u.test(value) ? Number(value) : Number.NaN;
      if (number >= minimum && number <= maximum) return { value: number };
      return {
        problem: `must be a whole number of ${unit} from ${minimum} to ${maximum}`,
        remedy: 'Write digits only, without a unit.',
      };
    },
  };
}

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * A duration with one unit: `90s`, `15m`, `2h`. The value is in seconds.
 *
 * @param maximum in hours
 */
export function duration(name: string, maximum: number): Input<number> {
  return {
    name,
    parse(value) {
      const [, digits = '', unit = ''] = /^(\d{1,6})([smh])$/u.exec(value) ?? [];
      const seconds = Number(digits) * (secondsOf[unit] ?? 0);
      if (seconds > 0 && seconds <= maximum * 3600) return { value: seconds };
      return {
        problem: `must be a duration from \`1s\` to \`${maximum}h\``,
        remedy: 'Write a whole number and its unit without a space: `90s`, `15m` or `2h`.',
      };
    },
  };
}

/**
 * One item per line, trimmed. An empty line is an error, because it is what an unset variable leaves, and the missing
 * item would silently not be checked; unless people use blank lines in this list to group items.
 */
export function lines<Item>(item: Input<Item>, empty: 'refused' | 'ignored' = 'refused'): Input<readonly Item[]> {
  return {
    name: item.name,
    secret: item.secret,
    untrimmed: true,
    parse(value) {
      const values: Item[] = [];
      const all = splitLines(value);
      for (const [index, line] of all.entries()) {
        if (line === '' && empty === 'ignored') continue;
        const parsed: Parsed<Item> = line === '' ? emptyLine(index + 1, all.length) : item.parse(line);
        if ('problem' in parsed) return { part: line, ...parsed };
        values.push(parsed.value);
      }
      return { value: values };
    },
  };
}

/** One `key=value` per line, and each key once. The value is what follows the first `=`. */
export function pairs(name: string, key: Input<string>, value: Input<string>): Input<Readonly<Record<string, string>>> {
  const list = lines<readonly [key: string, value: string]>({
    name,
    parse(line) {
      const at = line.indexOf('=');
      const [before, after] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      if (at <= 0 || after === '') {
        return {
          problem: 'must be lines of a name, `=` and a value',
          remedy: 'Write `name=value`, one per line.',
        };
      }
      const [first, second] = [key.parse(before), value.parse(after)];
      if ('problem' in first) return first;
      return 'problem' in second ? second : { value: [first.value, second.value] };
    },
  });
  return {
    ...list,
    parse(text) {
      const parsed = list.parse(text);
      if ('problem' in parsed) return parsed;
      const keys = parsed.value.map(([first]) => first);
      const part = keys.find((each, index) => keys.indexOf(each) < index);
      if (part === undefined) return { value: Object.fromEntries(parsed.value) };
      return { problem: 'must name each key once', remedy: 'Remove one of the lines, or use another name.', part };
    },
  };
}

function emptyLine(number: number, count: number): Parsed<never> {
  return {
    problem: `must have an item on every line, but line ${number} of ${count} is empty`,
    complete: true,
    remedy: 'Check why the variable, secret or output on that line is empty, or remove the line.',
  };
}

/** Some of these words, separated by commas or line breaks. */
export function someOf<const Word extends string>(name: string, words: readonly Word[]): Input<readonly Word[]> {
  const word = lines(oneOf(name, words), 'ignored');
  return { name, parse: (value) => word.parse(value.replaceAll(',', '\n')) };
}

/** The lines without the final line break, which a YAML block ends with. */
function splitLines(value: string): readonly string[] {
  const all = value.split(/\r\n|\r|\n/u).map((line) => line.trim());
  return all.at(-1) === '' ? all.slice(0, -1) : all;
}

/** `a`, `b` or `c`. */
function formatAlternatives(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(words.map((word) => `\`${word}\``));
}

/** An http or https URL without user name and password, which would end up in logs and in the service. */
export function httpUrl(name: string, remedy: string, credentialsRemedy: string): Input<string> {
  return {
    name,
    parse(value) {
      const part = withoutSecrets(value);
      if (!/^https?:\/\//u.test(value) || !URL.canParse(value)) {
        return { problem: 'must be an http or https URL', remedy, part };
      }
      const { username, password } = new URL(value);
      if (username === '' && password === '') return { value };
      return { problem: 'must not contain a user name or password', remedy: credentialsRemedy, part };
    },
  };
}

/** A URL, even a malformed one, without the parts that may be secret: user, password, query and fragment. */
export function withoutSecrets(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/isu, '$1***@').replace(/([?#]).*$/su, '$1***');
}

/** A time in Unix seconds, or in ISO 8601, in UTC if it has no zone. The value is in Unix seconds. */
export function timestamp(name: string): Input<number> {
  return {
    name,
    parse(text) {
      const value = /^\d{1,15}$/u.test(text) ? Number(text) : isoSeconds(text);
      if (value !== undefined && value >= 0 && value <= maximumTimestamp) return { value };
      return {
        problem: 'must be a time, in Unix seconds or in ISO 8601',
        remedy: 'Write, for example, 2026-10-02, 2026-10-02T12:00:00Z or 1790942400; milliseconds are not accepted.',
      };
    },
  };
}
