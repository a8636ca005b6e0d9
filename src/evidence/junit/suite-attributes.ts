import type { TestCounts } from '../../contract/attestations/junit.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { XmlRefusal } from './read-xml.ts';

export type Attributes = ReadonlyMap<string, string>;

/** Whether an attribute of a test case says that it did not run, as GoogleTest writes it for disabled tests. */
export function isMarkedSkipped(attributes: Attributes): boolean {
  const isDisabled = /^(?:notrun|disabled|skipped)$/iu.test(attributes.get('status') ?? '');
  return isDisabled || /^(?:suppressed|skipped)$/iu.test(attributes.get('result') ?? '');
}

/** More than 30 years, in seconds: a longer duration is a mistake, and the sum of many such could be infinite. */
const maximumSeconds = 1_000_000_000;

/** A duration in seconds; some tools write `1,234.5`. 0 if it is missing or not a duration. */
export function toSeconds(text: string | undefined): number {
  const seconds = Number((text ?? '').replaceAll(',', ''));
  return seconds > 0 && seconds <= maximumSeconds ? seconds : 0;
}

const countAttributes = ['tests', 'failures', 'errors', 'skipped', 'disabled'] as const;

/** The counts in the attributes of a suite; 0 for those that are missing. */
export function declaredCounts(attributes: Attributes): TestCounts {
  const at = (name: (typeof countAttributes)[number]): number => Number(attributes.get(name)?.trim() ?? '0');
  return {
    total: at('tests'),
    failures: at('failures'),
    errors: at('errors'),
    skipped: at('skipped') + at('disabled'),
  };
}

/** Refuses a suite with a count that cannot be read, because it could hide a failure. */
export function wrongCount(attributes: Attributes): XmlRefusal | undefined {
  const wrong = countAttributes.find((name) => !/^\s*\d{0,9}\s*$/u.test(attributes.get(name) ?? ''));
  if (wrong === undefined) return undefined;
  return {
    what: `the attribute ${wrong}=${JSON.stringify(truncate(attributes.get(wrong) ?? '', 40))} is not a count`,
    remedy: 'Let the tool write whole numbers, or leave the attribute out.',
  };
}
