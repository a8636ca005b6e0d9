import { type JunitResult, maximumSuites, sumResults, type TestCounts } from '../../contract/attestations/junit.ts';
import { isoSeconds } from '../../contract/snapshot-expression.ts';
import { truncate } from '../../runtime/truncate.ts';
import type { XmlHandler, XmlRefusal } from './read-xml.ts';
import { type Attributes, declaredCounts, isMarkedSkipped, toSeconds, wrongCount } from './suite-attributes.ts';

export interface FailedTest {
  /** `class.name`, or the name of the suite for a problem that belongs to no test. */
  readonly test: string;
  readonly kind: 'failure' | 'error';
  /** On one line, cut to a length that fits into a table; empty if there is none. */
  readonly message: string;
}

export const maximumFailedTests = 100;

/** The maximum length of the name of a suite and of a test, in characters; the rest is cut. */
const maximumShownName = 255;

/** The maximum length of a failure's message, in characters; the rest is cut. */
const maximumFailureMessage = 300;

/** How a test ended. A test with several outcomes has the worst of them. */
type Outcome = 'passed' | 'skipped' | 'failure' | 'error';

const severity: Readonly<Record<Outcome, number>> = { passed: 0, skipped: 1, failure: 2, error: 3 };

/** The elements that say how a test ended. Those of repetitions, such as `flakyFailure`, do not count. */
const outcomes: ReadonlyMap<string, Exclude<Outcome, 'passed'>> = new Map([
  ['failure', 'failure'],
  ['error', 'error'],
  ['skipped', 'skipped'],
  ['disabled', 'skipped'],
]);

type Tally = { -readonly [Key in keyof TestCounts]: TestCounts[Key] };

interface SuiteFrame {
  readonly element: 'testsuite' | 'testsuites';
  readonly attributes: Attributes;
  readonly own: Tally;
  /** The counts of its own test cases and those of the suites in it. */
  readonly all: Tally;
  /** In seconds. */
  time: number;
  hasCases: boolean;
  hasSuites: boolean;
}

interface CaseFrame {
  readonly element: 'testcase';
  readonly attributes: Attributes;
  outcome: Outcome;
  failed: FailedTest | undefined;
  hasCases: boolean;
}

/** `failure` or `error`: its text is the message unless an attribute has it. */
interface ProblemFrame {
  readonly element: 'problem';
  readonly kind: FailedTest['kind'];
  message: string;
  readonly isComplete: boolean;
}

type Frame = SuiteFrame | CaseFrame | ProblemFrame | { readonly element: 'other' };

/**
 * Collects the results of test suites from the elements of a JUnit report. There is no standard for these files: each
 * test case is counted once, in the suite that contains it. The counts in attributes are often wrong or missing, so
 * they count only for a suite without test cases; but if they report more problems than the test cases do, these are
 * errors of the suite, so that no reported problem is lost.
 */
export class SuiteResults implements XmlHandler {
  /** In the order in which the suites end. Suites of the same name stay separate. */
  readonly results: JunitResult[] = [];
  /** The first failed tests. */
  readonly failed: FailedTest[] = [];
  /** Suites whose attributes report more problems than their test cases, as clauses. */
  readonly contradictions: string[] = [];
  failedCount = 0;
  readonly #stack: Frame[] = [];
  readonly #fallbackName: string;

  /** @param fallbackName the name of a suite that has none: that of the file */
  constructor(fallbackName: string) {
    this.#fallbackName = fallbackName;
  }

  open(name: string, attributes: Attributes): XmlRefusal | undefined {
    const parent = this.#stack.at(-1);
    if (parent === undefined && name !== 'testsuites' && name !== 'testsuite') {
      return {
        what: `it is not a JUnit report: the root element is <${truncate(name, 60)}>, not <testsuites> or <testsuite>`,
        remedy: 'Narrow `junit-path` to the JUnit files, or convert the results to JUnit XML.',
      };
    }
    const wrong = name === 'testsuites' || name === 'testsuite' ? wrongCount(attributes) : undefined;
    if (wrong !== undefined) return wrong;
    this.#stack.push(openFrame(name, attributes, parent));
    return undefined;
  }

  text(text: string): void {
    const frame = this.#stack.at(-1);
    if (frame?.element !== 'problem' || frame.isComplete || frame.message.length >= maximumFailureMessage) return;
    frame.message = toOneLine(frame.message + text.slice(0, 4 * maximumFailureMessage));
  }

  close(): XmlRefusal | undefined {
    const frame = this.#stack.pop();
    const parent = this.#stack.at(-1);
    if (frame?.element === 'problem') this.#closeProblem(frame, parent);
    else if (frame?.element === 'testcase') this.#closeCase(frame);
    else if (frame !== undefined && frame.element !== 'other') return this.#closeSuite(frame);
    return undefined;
  }

  #closeProblem({ kind, message }: ProblemFrame, parent: Frame | undefined): void {
    if (parent?.element === 'testcase') {
      if (parent.failed === undefined || severity[kind] > severity[parent.failed.kind])
        parent.failed = { test: toTestName(parent.attributes), kind, message };
    } else if (parent !== undefined && isSuite(parent)) {
      // A problem outside the test cases, such as one while the suite was set up.
      const counted = kind === 'failure' ? 'failures' : 'errors';
      parent.own[counted] += 1;
      parent.all[counted] += 1;
      this.#addFailed({ test: this.#nameOf(parent.attributes), kind, message });
    }
  }

  #closeCase({ attributes, outcome, failed, hasCases }: CaseFrame): void {
    const suite = this.#stack.findLast(isSuite);
    // A test case that only contains others is not a test itself.
    if (suite === undefined || (hasCases && failed === undefined)) return;
    for (const counts of [suite.own, suite.all]) {
      counts.total += 1;
      if (outcome === 'failure') counts.failures += 1;
      else if (outcome === 'error') counts.errors += 1;
      else if (outcome === 'skipped') counts.skipped += 1;
    }
    suite.hasCases = true;
    suite.time += toSeconds(attributes.get('time'));
    if (failed !== undefined) this.#addFailed(failed);
  }

  #closeSuite(suite: SuiteFrame): XmlRefusal | undefined {
    const declared = declaredCounts(suite.attributes);
    if (!suite.hasCases && !suite.hasSuites) {
      suite.own.total = declared.total;
      suite.own.skipped = Math.min(declared.skipped, declared.total);
      suite.all.total += suite.own.total;
      suite.all.skipped += suite.own.skipped;
    }
    this.#addDeclaredProblems(suite, declared);
    this.#addToParent(suite);
    const isEmptyRoot = suite.element === 'testsuites' || suite.hasSuites;
    if (isEmptyRoot && !suite.hasCases && Object.values(suite.own).every((count) => count === 0)) return undefined;
    this.results.push(this.#toResult(suite));
    return this.results.length > maximumSuites ? tooManySuites : undefined;
  }

  /** Adds the problems that only the attributes report. */
  #addDeclaredProblems(suite: SuiteFrame, declared: TestCounts): void {
    const reported = declared.failures + declared.errors;
    const found = suite.all.failures + suite.all.errors;
    if (reported <= found) return;
    const isLeaf = !suite.hasCases && !suite.hasSuites && found === 0;
    const added = isLeaf ? declared : { failures: 0, errors: reported - found };
    for (const counts of [suite.own, suite.all]) {
      counts.failures += added.failures;
      counts.errors += added.errors;
    }
    const name = this.#nameOf(suite.attributes);
    this.failedCount += reported - found;
    if (this.failed.length < maximumFailedTests) {
      const message = `the attributes of the suite report ${reported} failures and errors, its test cases ${found}`;
      this.failed.push({ test: name, kind: 'error', message });
    }
    if (!isLeaf)
      this.contradictions.push(
        `the suite ${JSON.stringify(name)} reports ${reported} failures and errors in its attributes, but its test cases have ${found}`,
      );
  }

  #addToParent({ all }: SuiteFrame): void {
    const parent = this.#stack.findLast(isSuite);
    if (parent !== undefined) Object.assign(parent.all, sumResults([parent.all, all]));
  }

  #toResult({ attributes, own, time, hasSuites }: SuiteFrame): JunitResult {
    const timestamp = isoSeconds(attributes.get('timestamp')?.trim() ?? '');
    const total = toSeconds(attributes.get('time'));
    return {
      name: this.#nameOf(attributes),
      failures: own.failures,
      errors: own.errors,
      skipped: own.skipped,
      total: own.total,
      // The time of a suite includes that of the suites in it.
      duration: hasSuites || total === 0 ? time : total,
      ...(timestamp === undefined ? {} : { timestamp }),
    };
  }

  #nameOf(attributes: Attributes): string {
    const name = attributes.get('name')?.trim() ?? '';
    return truncate(name === '' ? this.#fallbackName : name, maximumShownName);
  }

  #addFailed(failed: FailedTest): void {
    this.failedCount += 1;
    if (this.failed.length < maximumFailedTests) this.failed.push(failed);
  }
}

function openFrame(name: string, attributes: Attributes, parent: Frame | undefined): Frame {
  if (parent !== undefined && !isSuite(parent) && parent.element !== 'testcase') return { element: 'other' };
  if (name === 'testsuite' || name === 'testsuites') {
    if (parent !== undefined && isSuite(parent)) parent.hasSuites = true;
    return createSuite(name, attributes);
  }
  return name === 'testcase' ? openCase(attributes, parent) : openOutcome(name, attributes, parent);
}

function openCase(attributes: Attributes, parent: Frame | undefined): CaseFrame {
  if (parent?.element === 'testcase') parent.hasCases = true;
  const outcome = isMarkedSkipped(attributes) ? 'skipped' : 'passed';
  return { element: 'testcase', attributes, outcome, failed: undefined, hasCases: false };
}

function openOutcome(name: string, attributes: Attributes, parent: Frame | undefined): Frame {
  const outcome = outcomes.get(name);
  if (outcome === undefined) return { element: 'other' };
  if (parent?.element === 'testcase' && severity[outcome] > severity[parent.outcome]) parent.outcome = outcome;
  if (outcome === 'skipped') return { element: 'other' };
  const message = toOneLine(attributes.get('message') ?? '');
  return { element: 'problem', kind: outcome, message, isComplete: message !== '' };
}

function createSuite(element: SuiteFrame['element'], attributes: Attributes): SuiteFrame {
  const none = { total: 0, failures: 0, errors: 0, skipped: 0 };
  return { element, attributes, own: { ...none }, all: { ...none }, time: 0, hasCases: false, hasSuites: false };
}

function isSuite(frame: Frame): frame is SuiteFrame {
  return frame.element === 'testsuite' || frame.element === 'testsuites';
}

function toTestName(attributes: Attributes): string {
  const words = ['classname', 'name'].map((name) => attributes.get(name)?.trim() ?? '').filter((word) => word !== '');
  return truncate(words.length === 0 ? '(no name)' : words.join('.'), maximumShownName);
}

function toOneLine(text: string): string {
  return truncate(
    text
      .slice(0, 4 * maximumFailureMessage)
      .replaceAll(/\s+/gu, ' ')
      .trimStart(),
    maximumFailureMessage,
  );
}

/** What to do if the results do not fit into one attestation. */
export const splitRemedy = 'Split the results over several steps, each with its own `attestation-name`.';

const tooManySuites: XmlRefusal = {
  what: `there are more than ${maximumSuites} test suites, the most that fit into one attestation`,
  remedy: splitRemedy,
};
