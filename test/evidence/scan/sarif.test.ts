import { readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Finding } from '../../../src/contract/attestations/snyk.ts';
import { severities } from '../../../src/contract/names.ts';
import { readSarif, type ScanRun } from '../../../src/evidence/scan/sarif.ts';
import { UserError } from '../../../src/runtime/failure.ts';
import { isMapping } from '../../../src/runtime/untrusted-data.ts';
import { reportOf } from '../../support/json-report.ts';
import { readText } from '../../support/repository.ts';

const samples = 'test/evidence/scan/samples';

function readSample(name: string): readonly ScanRun[] {
  return readSarif(reportOf(JSON.parse(readText(`${samples}/${name}.sarif.json`))));
}

/** `high B404 app.py:1`. */
function describeAll(runs: readonly ScanRun[]): readonly string[] {
  return runs.flatMap(({ findings }) =>
    findings.map(({ severity, describe: toFinding }) => {
      const { id, locations: [{ uri = '', lines = '' } = {}] = [] } = toFinding();
      return `${severity} ${id} ${uri}:${lines}`;
    }),
  );
}

function readOne(result: unknown, rule?: unknown, tool: object = {}): ScanRun {
  const driver = { name: 'Scanner', ...(rule === undefined ? {} : { rules: [rule] }) };
  const [run] = readSarif(reportOf({ version: '2.1.0', runs: [{ tool: { driver, ...tool }, results: [result] }] }));
  if (run === undefined) throw new Error('no run');
  return run;
}

/** The severity of one result; undefined if it is no finding. */
function severityOf(result: object, rule?: object, tool?: object): string | undefined {
  return readOne({ ruleId: 'R1', message: { text: 'x' }, ...result }, rule, tool).findings[0]?.severity;
}

describe('the files of scanners', () => {
  it.each<[string, string, readonly string[], number]>([
    // The rules of CodeQL stand in an extension.
    [
      'codeql',
      'CodeQL 2.23.3',
      ['critical js/code-injection src/cart.js:12', 'medium js/useless-assignment src/cart.js:20-22'],
      0,
    ],
    [
      'trivy',
      'Trivy 0.67.2',
      ['critical CVE-2026-0001 acme/web:1', 'medium CVE-2026-0002 acme/web:1', 'high DS-0002 Dockerfile:3-5'],
      0,
    ],
    [
      'snyk-code',
      'SnykCode 1.0.0',
      ['high javascript/Sqli src/orders.js:14-16', 'medium javascript/UseCsurfForExpress src/app.js:8'],
      0,
    ],
    ['snyk-open-source', 'Snyk Open Source 1.1300.0', ['critical SNYK-JS-SHOP-1000001 package-lock.json:1'], 0],
    // The level of Semgrep's results is that of their rule.
    ['semgrep', 'Semgrep OSS 1.185.0', ['medium shell-true app.py:8', 'high no-eval app.py:10'], 1],
    [
      'eslint',
      'ESLint 9.39.5',
      ['medium no-unused-vars file:///work/shop/cart.js:1', 'high no-eval file:///work/shop/cart.js:2'],
      1,
    ],
    [
      'bandit',
      'Bandit',
      ['low B404 app.py:1', 'medium B506 app.py:5', 'medium B307 app.py:9', 'medium B307 app.py:10'],
      0,
    ],
  ])('%s', (name, tool, findings, suppressed) => {
    const runs = readSample(name);
    expect(runs.map((run) => `${run.tool.name} ${run.tool.version}`.trim())).toEqual([tool]);
    expect(describeAll(runs)).toEqual(findings);
    expect(runs[0]?.counts.suppressed).toBe(suppressed);
    for (const severity of severities)
      expect(runs[0]?.counts[severity]).toBe(findings.filter((one) => one.startsWith(severity)).length);
    expect(runs[0]?.hasResults).toBe(true);
  });

  it('are all tested', () => {
    expect(readdirSync(samples)).toHaveLength(7);
  });
});

describe('the severity of a result', () => {
  const scored = (score: unknown, more: object = {}): object => ({
    id: 'R1',
    properties: { 'security-severity': score },
    ...more,
  });

  it.each([
    ['10.0', 'critical'],
    ['9.0', 'critical'],
    [' 8.9', 'high'],
    [7, 'high'],
    ['6.9', 'medium'],
    ['4.0', 'medium'],
    ['3.9', 'low'],
    ['0.1', 'low'],
  ])('is that of the score of its rule, whatever its level: %j', (score, severity) => {
    expect(severityOf({ level: 'warning' }, scored(score))).toBe(severity);
    expect(severityOf({ level: 'none' }, scored(score))).toBe(severity);
  });

  it.each(['0.0', '', ' ', 'high', '-1', null, {}, 'NaN'])('is that of its level if the score is %j', (score) => {
    expect(severityOf({ level: 'error' }, scored(score))).toBe('high');
  });

  it.each([
    ['error', 'high'],
    ['warning', 'medium'],
    ['note', 'low'],
    ['none', undefined],
  ])('is that of its level, or else of the level of its rule: %s', (level, severity) => {
    expect(severityOf({ level }, { id: 'R1', defaultConfiguration: { level: 'note' } })).toBe(severity);
    expect(severityOf({}, { id: 'R1', defaultConfiguration: { level } })).toBe(severity);
  });

  it('is medium if nothing says it', () => {
    expect(severityOf({}, { id: 'R1' })).toBe('medium');
    expect(severityOf({})).toBe('medium');
  });
});

describe('the rule of a result', () => {
  const critical = { id: 'R2', properties: { 'security-severity': '9.9' } };
  const tool = {
    driver: { name: 'S', rules: [{ id: 'R1' }, critical] },
    extensions: [{ rules: [{ id: 'E1' }, { ...critical, id: 'E2' }] }],
  };

  it.each<[string, object, string]>([
    ['its index', { ruleIndex: 1 }, 'critical'],
    ['its identifier', { ruleId: 'R2' }, 'critical'],
    ['a part of its identifier', { ruleId: 'R2/1/2' }, 'critical'],
    ['the reference with an index', { rule: { index: 1 } }, 'critical'],
    ['the reference with an identifier', { rule: { id: 'R2' } }, 'critical'],
    ['an index of an extension', { ruleId: 'E2', rule: { index: 1, toolComponent: { index: 0 } } }, 'critical'],
    ['an identifier of an extension', { ruleId: 'E2' }, 'critical'],
    ['its identifier, if the index is of another rule', { ruleId: 'R2', ruleIndex: 0 }, 'critical'],
    ['its identifier, if the index is of no rule', { ruleId: 'R2', ruleIndex: 7 }, 'critical'],
    [
      'its identifier, if there is no such extension',
      { ruleId: 'R2', rule: { index: 0, toolComponent: { index: 5 } } },
      'critical',
    ],
    ['none, if there is no such rule', { ruleId: 'R20' }, 'medium'],
    ['none, if nothing names it', { ruleIndex: -1 }, 'medium'],
    ['none, if the name is that of a property of all objects', { ruleId: '__proto__' }, 'medium'],
  ])('is found by %s', (_how, result, severity) => {
    const [run] = readSarif(reportOf({ version: '2.1.0', runs: [{ tool, results: [{ message: {}, ...result }] }] }));
    expect(run?.findings[0]?.severity).toBe(severity);
  });
});

describe('what counts', () => {
  it.each<[string, object, Partial<ScanRun['counts']>]>([
    ['no suppressions', { suppressions: [] }, { high: 1 }],
    ['a suppression without a status', { suppressions: [{ kind: 'inSource' }] }, { suppressed: 1 }],
    ['an accepted one', { suppressions: [{ kind: 'external', status: 'accepted' }] }, { suppressed: 1 }],
    ['a rejected one', { suppressions: [{ status: 'accepted' }, { status: 'rejected' }] }, { high: 1 }],
    ['one that is under review', { suppressions: [{ status: 'underReview' }] }, { high: 1 }],
    ['the kind fail', { kind: 'fail' }, { high: 1 }],
    ['an empty kind', { kind: '' }, { high: 1 }],
    ...['pass', 'open', 'review', 'informational', 'notApplicable'].map(
      (kind): [string, object, Partial<ScanRun['counts']>] => [`the kind ${kind}`, { kind }, {}],
    ),
    ['what was there before', { baselineState: 'absent' }, {}],
    ['what is new', { baselineState: 'new' }, { high: 1 }],
  ])('with %s', (_what, result, counts) => {
    const none = { critical: 0, high: 0, medium: 0, low: 0, suppressed: 0 };
    expect(readOne({ level: 'error', message: {}, ...result }).counts).toEqual({ ...none, ...counts });
  });
});

describe('a finding', () => {
  function findingOf(result: object, rule?: object): Finding | undefined {
    return readOne({ level: 'error', ruleId: 'R1', message: { text: 'x' }, ...result }, rule).findings[0]?.describe();
  }

  it('has the message of its rule, with its values', () => {
    const rule = { id: 'R1', messageStrings: { found: { text: '{1} is in {0}, {7}' } } };
    expect(findingOf({ message: { id: 'found', arguments: ['a.c', 'b'] } }, rule)?.message).toBe('b is in a.c, {7}');
    expect(findingOf({ message: { markdown: '*x*' } })?.message).toBe('*x*');
    expect(findingOf({ message: {} }, { id: 'R1', shortDescription: { text: 'Bad' } })?.message).toBe('Bad');
  });

  it('has what the service accepts: no NUL, no half characters, no long texts, few places', () => {
    const text = `\0${'ab\uD800'.repeat(200_000)}`;
    const location = { physicalLocation: { artifactLocation: { uri: text }, region: { startLine: 1 } } };
    const found = findingOf({
      ruleId: text,
      message: { text: '{0}'.repeat(1000), arguments: [text] },
      locations: Array.from({ length: 9 }, () => location),
    });
    expect(JSON.stringify(found).length).toBeLessThan(10_000);
    expect(JSON.stringify(found)).not.toMatch(/\\u0000|\\ud800/u);
    expect(found?.locations).toHaveLength(5);
  });

  it('takes the path of a file from the list of artifacts', () => {
    const results = [{ message: {}, locations: [{ physicalLocation: { artifactLocation: { index: 0 } } }, {}] }];
    const artifacts = [{ location: { uri: 'src/a.c' } }];
    const [run] = readSarif(
      reportOf({ version: '2.1.0', runs: [{ tool: { driver: { name: 'S' } }, artifacts, results }] }),
    );
    expect(run?.findings[0]?.describe()).toEqual({ id: 'unknown', message: '', locations: [{ uri: 'src/a.c' }] });
  });
});

describe('a document that is not SARIF 2.1.0', () => {
  const tool = { driver: { name: 'S' } };
  it.each<[unknown, string]>([
    [{}, ' is another kind of JSON'],
    [{ version: '2.1.0', runs: null }, ' is another kind of JSON'],
    [{ runs: [] }, ': the version of SARIF is missing, and only 2.1.0 is read'],
    [{ version: '2.0.0', runs: [] }, ': the version of SARIF is "2.0.0", and only 2.1.0 is read'],
    [{ version: '2.1.0', runs: [] }, ' has no run of a scanner, so nothing was scanned'],
    [{ version: '2.1.0', runs: [null] }, ': runs[0].tool.driver.name is missing'],
    [{ version: '2.1.0', runs: [{ tool, results: {} }] }, ': runs[0].results must be a list'],
    [{ version: '2.1.0', runs: [{ tool, results: ['x'] }] }, ': runs[0].results[0] must be an object'],
    [
      { version: '2.1.0', runs: [{ tool, results: [{ kind: 'Fail' }] }] },
      ': runs[0].results[0] has the kind "Fail", which SARIF does not define',
    ],
    ...['critical', 'constructor'].map((level): [unknown, string] => [
      { version: '2.1.0', runs: [{ tool, results: [{ level }] }] },
      `: runs[0].results[0] has the level "${level}", which SARIF does not define`,
    ]),
    [
      { version: '2.1.0', runs: [{ tool, externalPropertyFileReferences: { results: [{}] } }] },
      ': runs[0] has its results in other files',
    ],
    [
      { version: '2.1.0', runs: [{ tool, results: [], invocations: [{ executionSuccessful: false }] }] },
      ': runs[0] of S says that the scan failed',
    ],
    [
      { version: '2.1.0', runs: Array.from({ length: 1001 }, () => ({ tool, results: [] })) },
      ' has more than 1000 runs',
    ],
  ])('is an error: %#', (document, message) => {
    expect(() => readSarif(reportOf(document))).toThrow(`report.json${message}`);
  });
});

describe('any document', () => {
  /** JSON with the keys that are read, and values of any form. */
  const keys = [
    'version',
    'runs',
    'tool',
    'driver',
    'name',
    'rules',
    'results',
    'rule',
    'index',
    'suppressions',
    '__proto__',
  ];
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom('2.1.0', 'fail', 'error', 'S', 0, 1, -1, 1.5, true, null),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keys), tie('tree'), { maxKeys: 5 }),
    ),
  }));

  it('is read, or is the error of a user', () => {
    fc.assert(
      fc.property(tree, tree, (run, result) => {
        const base = isMapping(run) ? run : {};
        const document = {
          version: '2.1.0',
          runs: [{ ...base, tool: { driver: { name: 'S', rules: [result] } }, results: [result] }],
        };
        try {
          for (const { findings } of readSarif(reportOf(document)))
            for (const { describe: toFinding } of findings) toFinding();
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});
