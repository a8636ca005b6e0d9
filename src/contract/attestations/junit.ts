import { type Static, strictObject, Type } from '../schema.ts';
import { lineText } from '../text-fields.ts';
import { attestationDocument, count } from './attestation-fields.ts';
import { type AttestationJudgement, defineAttestationKind } from './attestation-kind.ts';

/** The maximum number of test suites in an attestation. */
export const maximumSuites = 10_000;

/** How many failing suites a reason names. */
const maximumNamedSuites = 3;

/** The result of one test suite (observed on the wire, `junit_results`). */
export const junitResult = strictObject({
  name: lineText(),
  failures: count,
  errors: count,
  skipped: count,
  total: count,
  duration: Type.Number({ minimum: 0, description: 'In seconds.' }),
  timestamp: Type.Optional(Type.Number({ description: 'When the suite ran, in Unix seconds.' })),
});

export type JunitResult = Static<typeof junitResult>;

/** The JSON part of a JUnit attestation (observed on the wire). */
export const junitAttestation = attestationDocument({
  junit_results: Type.Array(junitResult, { maxItems: maximumSuites }),
});

export type JunitAttestation = Static<typeof junitAttestation>;

/** How often tests ended in each way, over several suites. */
export interface TestCounts {
  readonly total: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

/** Adds up the results of several suites. */
export function sumResults(results: readonly TestCounts[]): TestCounts {
  return results.reduce<TestCounts>(
    (sum, { total, failures, errors, skipped }) => ({
      total: sum.total + total,
      failures: sum.failures + failures,
      errors: sum.errors + errors,
      skipped: sum.skipped + skipped,
    }),
    { total: 0, failures: 0, errors: 0, skipped: 0 },
  );
}

/** The counts in words: `296 of 298 tests passed, 2 skipped`. */
export function describeTests({ total, failures, errors, skipped }: TestCounts): string {
  // An error can also occur outside of tests, for example when a suite is set up.
  const passed = Math.max(0, total - failures - errors - skipped);
  const others = [
    [failures, 'failed'],
    [errors, 'with errors'],
    [skipped, 'skipped'],
  ] as const;
  const named = others.flatMap(([count, word]) => (count === 0 ? [] : [`, ${count} ${word}`]));
  return `${passed} of ${total} tests passed${named.join('')}`;
}

/**
 * Judges test results: one failure or error is enough for non-compliance. If no test ran, nothing is proven, so the
 * evidence is incomplete.
 */
function judge({ junit_results: results }: JunitAttestation): AttestationJudgement {
  const counts = sumResults(results);
  const { total, failures, errors, skipped } = counts;
  const bad = failures + errors;
  if (bad > 0) {
    // More than there are tests if errors occurred outside of tests.
    const found = bad <= total ? `${bad} of ${total} tests failed` : `${bad} failures and errors`;
    return {
      verdict: 'non-compliant',
      reason: `of ${total} tests, ${failures} failed and ${errors} had errors`,
      faults: [{ value: `${found}${nameSuites(results)}`, limit: 'none may fail' }],
    };
  }
  if (total - skipped <= 0) {
    const reason = total === 0 ? 'there are no tests' : `all ${total} tests were skipped`;
    return { verdict: 'incomplete', reason, faults: [{ value: reason, limit: 'at least one must pass' }] };
  }
  return { verdict: 'compliant', reason: describeTests(counts), faults: [] };
}

/** The suites with failures, in parentheses; the first few. */
function nameSuites(results: readonly JunitResult[]): string {
  const failing = results.flatMap(({ name, failures, errors }) => (failures + errors > 0 && name !== '' ? [name] : []));
  const names = failing.slice(0, maximumNamedSuites).join(', ');
  const rest = failing.length - maximumNamedSuites;
  return names === '' ? '' : ` (${names}${rest > 0 ? ` and ${rest} more suites` : ''})`;
}

/** Test results in JUnit's form. */
export const junitKind = defineAttestationKind({
  name: 'junit',
  operation: 'attest-junit',
  title: 'Attest JUnit test results',
  document: junitAttestation,
  judge,
});
