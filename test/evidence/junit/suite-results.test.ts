import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type JunitResult, sumResults, type TestCounts } from '../../../src/contract/attestations/junit.ts';
import { parseJunit } from '../../support/junit.ts';

/** The counts of the suites in a document, by their names. */
async function countsOf(xml: string): Promise<Readonly<Record<string, Partial<JunitResult>>>> {
  const { results } = await parseJunit(xml);
  return Object.fromEntries(
    results.map(({ name, total, failures, errors, skipped }) => [name, { total, failures, errors, skipped }]),
  );
}

describe('the counts of a suite', () => {
  it('are those of its test cases, whatever its attributes say', async () => {
    const xml = `<testsuite name="a" tests="9" failures="0" skipped="7">
      <testcase name="1"/><testcase name="2"><failure/></testcase><testcase name="3"><error/></testcase>
      <testcase name="4"><skipped/></testcase></testsuite>`;
    expect(await countsOf(xml)).toEqual({ a: { total: 4, failures: 1, errors: 1, skipped: 1 } });
  });

  it('are those of its attributes if it has no test cases', async () => {
    const xml =
      '<testsuites><testsuite name="a" tests="5" failures="1" errors="2" skipped="1" disabled="1"/></testsuites>';
    expect(await countsOf(xml)).toEqual({ a: { total: 5, failures: 1, errors: 2, skipped: 2 } });
  });

  it('include problems that only the attributes report, as errors', async () => {
    const { results, failed, contradictions } = await parseJunit(
      '<testsuite name="a" failures="2"><testcase name="1"/><testcase name="2"><failure message="m"/></testcase></testsuite>',
    );
    expect(results).toMatchObject([{ total: 2, failures: 1, errors: 1 }]);
    expect(failed.map(({ test, message }) => [test, message])).toEqual([
      ['2', 'm'],
      ['a', 'the attributes of the suite report 2 failures and errors, its test cases 1'],
    ]);
    expect(contradictions).toEqual([
      'the suite "a" reports 2 failures and errors in its attributes, but its test cases have 1',
    ]);
  });

  it('count nested suites once, and the sums of outer suites never', async () => {
    const xml = `<testsuites tests="3" failures="1"><testsuite name="outer" tests="3" failures="1">
      <testsuite name="in" tests="2" failures="1"><testcase name="1"/><testcase name="2"><failure/></testcase></testsuite>
      <testcase name="3"/></testsuite></testsuites>`;
    expect(await countsOf(xml)).toEqual({
      in: { total: 2, failures: 1, errors: 0, skipped: 0 },
      outer: { total: 1, failures: 0, errors: 0, skipped: 0 },
    });
  });

  it('include a failure or an error of the suite itself', async () => {
    const { results, failed } = await parseJunit(
      '<testsuite name="a"><error message="no database"/><testcase name="1"/></testsuite>',
    );
    expect(results).toMatchObject([{ total: 1, errors: 1 }]);
    expect(failed).toEqual([{ test: 'a', kind: 'error', message: 'no database' }]);
  });

  it('do not include failures of attempts that were repeated with success', async () => {
    const xml = `<testsuite name="a"><testcase name="flaky"><flakyFailure/><flakyError/></testcase>
      <testcase name="broken"><failure/><rerunFailure/><rerunError/></testcase></testsuite>`;
    expect(await countsOf(xml)).toEqual({ a: { total: 2, failures: 1, errors: 0, skipped: 0 } });
  });

  it.each(['Failure', 'FAILURE', 'Error', 'errOR'])('include a problem in another case: %s', async (name) => {
    const xml = `<TestSuite name="a"><TestCase name="1"><${name} Message="m"/></TestCase><testCase name="2"/></TestSuite>`;
    const { results, failed } = await parseJunit(xml);
    expect(results).toMatchObject([{ name: 'a', total: 2 }]);
    expect(failed).toMatchObject([{ test: '1', message: 'm' }]);
  });

  it('are those of attributes in another case, unless there are some in the usual one', async () => {
    expect(await countsOf('<testsuite Name="a" Tests="5" Failures="1"/>')).toMatchObject({
      a: { total: 5, failures: 1 },
    });
    for (const counts of ['Failures="0" failures="2"', 'failures="2" Failures="0"']) {
      expect(await countsOf(`<testsuite name="a" ${counts}/>`)).toMatchObject({ a: { failures: 2 } });
    }
  });

  it('are refused if they are hidden behind more blanks than are read', async () => {
    const hidden = `0${' '.repeat(5000)}`;
    for (const failures of [`${hidden}5`, `${' '.repeat(5000)}5`])
      await expect(parseJunit(`<testsuite name="a" failures="${failures}"/>`)).rejects.toThrow('is not a count');
  });

  it('include a test with several outcomes once, with the worst of them', async () => {
    const xml = '<testsuite name="a"><testcase name="1"><skipped/><failure/><error/><failure/></testcase></testsuite>';
    expect(await countsOf(xml)).toEqual({ a: { total: 1, failures: 0, errors: 1, skipped: 0 } });
  });

  it.each(['status="notrun"', 'status="disabled"', 'result="suppressed"', 'result="skipped"'])(
    'take a test case with %s as skipped',
    async (attribute) => {
      expect(await countsOf(`<testsuite name="a"><testcase name="1" ${attribute}/></testsuite>`)).toMatchObject({
        a: { total: 1, skipped: 1 },
      });
    },
  );

  it('do not include elements in properties and output', async () => {
    const xml = `<testsuite name="a"><properties><testcase/><failure/></properties>
      <system-out><![CDATA[<testcase><failure/></testcase>]]></system-out><testcase name="1"/></testsuite>`;
    expect(await countsOf(xml)).toEqual({ a: { total: 1, failures: 0, errors: 0, skipped: 0 } });
  });

  it('stay apart if suites have the same name', async () => {
    const suite = '<testsuite name="a"><testcase name="1"/></testsuite>';
    expect((await parseJunit(`<testsuites>${suite}${suite}</testsuites>`)).results).toHaveLength(2);
  });

  it('exist for a suite without tests, and not for an empty root', async () => {
    expect((await parseJunit('<testsuite name="a"/>')).results).toMatchObject([{ name: 'a', total: 0 }]);
    expect((await parseJunit('<testsuites/>')).results).toEqual([]);
  });
});

describe('a suite', () => {
  it('has its name, time and timestamp, and that of the file if it has no name', async () => {
    const { results } =
      await parseJunit(`<testsuites><testsuite name=" a " time="1,234.5" timestamp="2026-01-02T03:04:05">
      <testcase name="1"/></testsuite><testsuite time="?" timestamp="yesterday"><testcase time="0.25"/><testcase time="0.5"/>
      </testsuite></testsuites>`);
    expect(results).toEqual([
      { name: 'a', failures: 0, errors: 0, skipped: 0, total: 1, duration: 1234.5, timestamp: 1_767_323_045 },
      { name: 'junit.xml', failures: 0, errors: 0, skipped: 0, total: 2, duration: 0.75 },
    ]);
  });

  it('has a finite duration, even if those of its test cases are absurd', async () => {
    const { results } = await parseJunit(
      '<testsuite name="a"><testcase name="1" time="1e308"/><testcase name="2" time="1e308"/><testcase time="2"/></testsuite>',
    );
    expect(results).toMatchObject([{ duration: 2 }]);
  });

  it('may have elements in a namespace', async () => {
    expect(
      await countsOf(
        '<j:testsuite xmlns:j="urn:x" name="a"><j:testcase name="1"><j:failure/></j:testcase></j:testsuite>',
      ),
    ).toMatchObject({ a: { total: 1, failures: 1 } });
  });

  it('has a name of at most 255 characters', async () => {
    const { results } = await parseJunit(`<testsuite name="${'n'.repeat(500_000)}"><testcase/></testsuite>`);
    expect(results.map(({ name }) => name)).toEqual([`${'n'.repeat(254)}…`]);
  });
});

describe('a failed test', () => {
  it('has its class and name, and its message on one line', async () => {
    const { failed } = await parseJunit(`<testsuite name="a"><testcase classname="C" name="t">
      <failure message="expected &lt;1&gt;&#10;but was 2">trace</failure></testcase>
      <testcase name="u"><error type="X"><![CDATA[  boom
      at line 3]]></error></testcase></testsuite>`);
    expect(failed).toEqual([
      { test: 'C.t', kind: 'failure', message: 'expected <1> but was 2' },
      { test: 'u', kind: 'error', message: 'boom at line 3' },
    ]);
  });

  it('is counted even if too many failed to list them', async () => {
    const cases = '<testcase name="1"><failure message="m"/></testcase>'.repeat(150);
    const { failed, failedCount } = await parseJunit(`<testsuite name="a">${cases}</testsuite>`);
    expect([failed.length, failedCount]).toEqual([100, 150]);
  });
});

describe('a document that is refused', () => {
  it.each([
    ['another root', '<html>', 'line 1: it is not a JUnit report: the root element is <html>'],
    ['a count that is none', '\n<testsuite failures="some"/>', 'line 2: the attribute failures="some" is not a count'],
    ['a negative count', '<testsuite tests="-1"/>', 'the attribute tests="-1" is not a count'],
    ['too many suites', `<testsuites>${'<testsuite/>'.repeat(10_001)}</testsuites>`, 'more than 10000 test suites'],
  ])('has %s', async (_what, xml, message) => {
    await expect(parseJunit(xml)).rejects.toThrow(message);
  });
});

/** A suite as a generator makes it. */
interface Suite {
  readonly cases: readonly ('passed' | 'failure' | 'error' | 'skipped' | 'flakyFailure')[];
  readonly suites: readonly Suite[];
}

const { suite: anySuite } = fc.letrec<{ suite: Suite }>((tie) => ({
  suite: fc.record({
    cases: fc.array(fc.constantFrom('passed', 'failure', 'error', 'skipped', 'flakyFailure')),
    suites: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie('suite'), { maxLength: 3 })),
  }),
}));

function toXml({ cases, suites }: Suite): string {
  const inner = cases.map((outcome) => (outcome === 'passed' ? '<testcase/>' : `<testcase><${outcome}/></testcase>`));
  return `<testsuite name="s">${inner.join('')}${suites.map(toXml).join('\n')}</testsuite>`;
}

function countsIn({ cases, suites }: Suite): TestCounts {
  const count = (outcome: string): number => cases.filter((one) => one === outcome).length;
  const own = { total: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') };
  return sumResults([own, ...suites.map(countsIn)]);
}

describe('any tree of suites', () => {
  it('has the counts of its test cases, however the file is divided into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(anySuite, fc.integer({ min: 1, max: 50 }), async (suite, chunkBytes) => {
        const { results } = await parseJunit(toXml(suite), chunkBytes);
        expect(sumResults(results)).toEqual(countsIn(suite));
      }),
      { numRuns: 60 },
    );
  });
});
