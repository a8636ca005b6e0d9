import { describe, expect, it } from '@jest/globals';
import { environmentKinds } from '../../../src/contract/environment.ts';
import { baseUrl, connectionInputs } from '../../../src/operations/inputs/connection-inputs.ts';
import * as environments from '../../../src/operations/inputs/environment-inputs.ts';
import * as evidence from '../../../src/operations/inputs/evidence-inputs.ts';
import * as flows from '../../../src/operations/inputs/flow-inputs.ts';
import type { Input } from '../../../src/operations/inputs/input.ts';
import { page, perPage } from '../../../src/operations/inputs/list-inputs.ts';
import { serviceAccount } from '../../../src/operations/inputs/organization-inputs.ts';
import { commitStatus, wait } from '../../../src/operations/inputs/step-inputs.ts';
import { allOperationNames } from '../../../src/operations/operation-names.ts';
import { operations } from '../../../src/operations/registry.ts';
import { commonDeclared } from '../../../src/step/run/common-inputs.ts';

/** Valid texts of an input with their values, and invalid texts with a part of the rule. */
interface Expected {
  readonly input: Input<unknown>;
  readonly good?: readonly (readonly [text: string, value: unknown])[];
  readonly bad?: readonly (readonly [text: string, rule: RegExp])[];
}

const { apiToken, authMethod, org, timeoutSeconds, retries, fileParts } = connectionInputs;
const sha256 = 'ab'.repeat(32);
const anId = '1a2b3c4d-0000-1111-2222-12345678';
const service = new URL('https://compliance.example.com/api/v2');
const longestName = 'a'.repeat(255);

const loaded = await Promise.all(allOperationNames.map((name) => operations[name]()));

/** The input of this name that every step, or this operation, declares; without an operation, the first that does. */
function declared(name: string, operation?: string): Input<unknown> {
  const users = loaded.filter((user) => operation === undefined || user.name === operation);
  const own = users.flatMap(({ inputs }) => Object.values(inputs).map(({ input }) => input));
  const found = [...commonDeclared, ...own].find((input) => input.name === name);
  if (found === undefined) throw new Error(`no operation declares ${name}`);
  return found;
}

function same(...texts: readonly string[]): NonNullable<Expected['good']> {
  return texts.map((text) => [text, text]);
}

function values(expected: Readonly<Record<string, unknown>>): NonNullable<Expected['good']> {
  return Object.entries(expected);
}

function refused(rule: RegExp, ...texts: readonly string[]): NonNullable<Expected['bad']> {
  return texts.map((text) => [text, rule]);
}

/** A name of at most 255 characters. */
function name(input: Input<unknown>, what: string, good: readonly string[], bad: readonly string[]): Expected {
  return {
    input,
    good: same(longestName, ...good),
    bad: [
      ...refused(new RegExp(`must be the name of an? ${what}`, 'u'), ...bad),
      [`${longestName}a`, /, at most 255 characters long$/u],
    ],
  };
}

/** Several names, one per line. */
function names(input: Input<unknown>, rule: RegExp): Expected {
  return {
    input,
    good: values({ prod: ['prod'], 'prod\r\n  staging \rtest\n': ['prod', 'staging', 'test'] }),
    bad: [
      ...refused(rule, 'prod, staging', 'prod\n-'),
      ['prod\n\nstaging', /line 2 of 3 is empty/u],
      [`prod\n${longestName}a`, /, at most 255 characters long$/u],
    ],
  };
}

function snapshot(input: Input<unknown>): Expected {
  return {
    input,
    good: same('prod', 'prod#12', 'prod~1', 'prod3', 'prod-eu.1_a', 'prod@{2026-10-02T12:00:00}', 'prod@{2.hours.ago}'),
    bad: [
      ...refused(/must select a snapshot: after # there must be the number/u, 'prod#0', 'prod#'),
      ...refused(/after ~/u, 'prod~x'),
      ...refused(/after @/u, 'prod@{soon}', 'prod@{2026-02-30}'),
      ...refused(/name of an environment/u, '#3', 'a b'),
    ],
  };
}

function time(input: Input<unknown>): Expected {
  return {
    input,
    good: values({
      '0': 0,
      '1767323045': 1_767_323_045,
      '2026-01-02T03:04:05Z': 1_767_323_045,
      '2026-01-02T03:04:05': 1_767_323_045,
      '2026-01-02T04:04:05.9+01:00': 1_767_323_045,
      '2026-01-02': 1_767_312_000,
      '253402300799': 253_402_300_799,
    }),
    bad: refused(
      /must be a time, in Unix seconds or in ISO 8601/u,
      ...['1767323045000', '2026-02-30', '2026-13-01', '1969-12-31', 'yesterday', '02.01.2026', '-5', '1.5'],
    ),
  };
}

const declarations: readonly Expected[] = [
  {
    input: baseUrl,
    good: values({ 'https://compliance.example.com': service }),
    bad: refused(/must be a URL such as https:/u, 'compliance.example.com'),
  },
  {
    input: apiToken.input,
    good: same('0a1b2c_SECRET-of.some~kind+/='),
    bad: [
      ...refused(/white space/u, 'two words', 'broken\nline'),
      ...refused(/visible ASCII/u, 'copied\u200Binvisibly', 'schlüssel'),
      ['fifteen-letters', /at least 16 characters/u],
    ],
  },
  { input: authMethod.input, good: same('bearer', 'basic'), bad: refused(/`bearer` or `basic`/u, 'Bearer', 'digest') },
  name(org.input, 'organization', ['acme', '4-acme_A.~'], ['acme corp', '-acme', 'acme/web', '..']),
  {
    input: timeoutSeconds.input,
    good: values({ '1': 1, '030': 30, '3600': 3600 }),
    bad: [
      ...refused(/from 1 to 3600/u, '0', '3601'),
      ...refused(/whole number of seconds/u, '30s', '1.5', '-1', '1e3', '0x10', '9'.repeat(400)),
    ],
  },
  {
    input: retries.input,
    good: values({ '0': 0, '20': 20 }),
    bad: [...refused(/from 0 to 20/u, '21'), ...refused(/whole number of retries/u, 'none')],
  },
  { input: fileParts.input, good: same('indexed', 'plain'), bad: refused(/`indexed` or `plain`/u, 'both') },
  name(flows.flow, 'flow', ['web', '0.web-front_end~2'], ['pr/12', '_web', 'web\n', 'wéb']),
  name(flows.trail, 'trail', ['pr-12'], ['pr/12']),
  name(environments.environment, 'environment', ['prod-eu.1_a'], ['a b', 'pr/12', '-prod', 'prod~1', 'a\nb']),
  name(environments.policy, 'policy', ['prod-eu.1_a'], ['a b', 'pr/12', '-prod', 'prod~1', 'a\nb']),
  names(environments.includedEnvironments, /names of environments/u),
  names(environments.policies, /names of policies/u),
  {
    input: flows.attestationName,
    good: same('sonar', 'web.sonar', `${longestName}.${longestName}`),
    bad: [
      ...refused(/must be the name of an attestation/u, 'web.sonar.more', 'web.', '.sonar', 'sonar,other'),
      ...refused(/, at most 511 characters long$/u, `${longestName}.${longestName}a`),
    ],
  },
  {
    input: flows.fingerprint,
    good: [[`sha256:${sha256}`, sha256]],
    bad: refused(/64 hex digits/u, sha256.slice(1), `${sha256}0`, `web@sha256:${sha256}`),
  },
  {
    input: declared('fingerprint', 'get-artifact'),
    good: [
      [sha256, [sha256]],
      ['abcde', ['abcde']],
      [`${sha256}\r\n  12345 \n`, [sha256, '12345']],
      [`sha256:${sha256}\nsha256:ABCDE`, [sha256, 'abcde']],
    ],
    bad: [
      ...refused(/at least the first 5/u, 'abcd', 'abcdeg', `${sha256}0`, `${sha256}\nABCDX`),
      ...refused(/on every line, but line 2 of 2 is empty/u, `${sha256}\n\n`),
    ],
  },
  {
    input: declared('attestation-id'),
    good: same(anId),
    bad: refused(/8, 4, 4, 4 and 8 lowercase hex digits/u, '1a2b3c4d-0000-1111-2222-123456789012', anId.toUpperCase()),
  },
  { input: flows.description, good: same('Any words at all: é, ::, <b>') },
  {
    input: declared('visibility'),
    good: same('public', 'private'),
    bad: refused(/`public` or `private`/u, 'internal'),
  },
  {
    input: declared('template'),
    good: values({
      artifact: ['artifact'],
      'artifact\n  unit-test_1 \r\nsonar': ['artifact', 'unit-test_1', 'sonar'],
      'artifact,sonar': ['artifact,sonar'],
    }),
    bad: [
      ...refused(/must be names of evidence/u, 'unit test', 'artifact\nweb.sonar'),
      ['artifact\n\nsonar', /line 2 of 3 is empty/u],
    ],
  },
  {
    input: declared('repo-url'),
    good: same('https://github.com/acme/web'),
    bad: [
      ...refused(/must be an http or https URL/u, 'git@github.com:acme/web.git', 'javascript:alert(1)', 'https://'),
      ['https://ann:pass@github.com/acme/web', /must not contain a user name or password/u],
    ],
  },
  {
    input: evidence.files,
    good: values({ '\nsrc/**\n\n!**/*.tmp\n a b.txt\n\n': ['src/**', '!**/*.tmp', 'a b.txt'] }),
  },
  {
    input: evidence.artifactFiles,
    good: values({ 'dist/*.tgz\n!dist/old.tgz\n': ['dist/*.tgz', '!dist/old.tgz'] }),
    bad: refused(/line 1 of 2 is empty/u, '\ndist/*.tgz'),
  },
  { input: evidence.userData, good: same('{"a": 1}') },
  { input: declared('sonar-report-path'), good: same('target/sonar') },
  {
    input: declared('sonar-host-url'),
    good: same('https://sonar.example.com/sonarqube'),
    bad: [
      ...refused(/must be an http or https URL/u, 'sonar.example.com', 'file:///etc/passwd'),
      ['https://token:@sonar.example.com', /must not contain a user name or password/u],
    ],
  },
  { input: declared('sonar-token'), good: same('squ_0123456789abcdef'), bad: refused(/white space/u, 'squ 0123') },
  {
    input: declared('sonar-timeout'),
    good: values({ '1': 1, '21600': 21_600 }),
    bad: [...refused(/from 1 to 21600/u, '0', '21601'), ...refused(/whole number of seconds/u, '5 min')],
  },
  {
    input: declared('unverified-revision'),
    good: same('warn', 'fail'),
    bad: refused(/must be `warn` or `fail`/u, 'ignore', 'Fail', 'true'),
  },
  { input: evidence.commitSha, good: same('a'.repeat(40)) },
  {
    input: declared('redact-commit-info'),
    good: values({ author: ['author'], 'author, message\nbranch': ['author', 'message', 'branch'] }),
    bad: refused(/must be `author`, `message` or `branch`/u, 'author, email'),
  },
  { input: evidence.githubToken, good: same('ghs_0123456789abcdef'), bad: refused(/white space/u, 'ghs_01 23') },
  snapshot(declared('snapshot-1')),
  snapshot(declared('snapshot-2')),
  {
    input: declared('interval'),
    good: same('3..7', '#3..#7', '~5..NOW', '@{2.days.ago}..now', 'prod#3..prod#7'),
    bad: [
      ['3', /must be an interval of snapshots: it must be two snapshots/u],
      ['1..2..3', /two snapshots/u],
      ...refused(/neither a number/u, '3..', '0..3'),
    ],
  },
  {
    input: declared('environment-type'),
    good: same(...environmentKinds),
    bad: refused(/must be `K8S`, .* or `logical`/u, 'k8s', 'kubernetes'),
  },
  {
    input: declared('notification-number'),
    good: same('1', '123456789'),
    bad: refused(/number of a notification/u, '0', '01', '#7'),
  },
  {
    input: serviceAccount,
    good: same('deployer-1', 'a'.repeat(64)),
    bad: refused(/1 to 64 letters, digits and `-`/u, 'a'.repeat(65), 'the_deployer'),
  },
  {
    input: page,
    good: values({ '1': 1, '250': 250, all: 'all' }),
    bad: refused(/a page number from 1, or `all`/u, '0', 'ALL', '1,2', '-1', '1000000001'),
  },
  { input: perPage, good: values({ '1': 1, '1000': 1000 }), bad: refused(/from 1 to 1000/u, '0', '1001') },
  time(declared('from-timestamp')),
  time(declared('to-timestamp')),
  {
    input: declared('on-non-compliant'),
    good: same('fail', 'warn', 'ignore'),
    bad: refused(/must be `fail`, `warn` or `ignore`/u, 'pass', 'FAIL'),
  },
  {
    input: declared('summary'),
    good: values({ true: true, True: true, TRUE: true, false: false, False: false, FALSE: false }),
    bad: refused(/must be `true` or `false`/u, 'yes', '1', 'tRUE', 'constructor', 'toString', '__proto__'),
  },
  {
    input: wait,
    good: values({ '0': 0, '600': 600, '21600': 21_600 }),
    bad: refused(/0.*21600/u, '21601', '-1', '1.5', '10m', '1e3'),
  },
  {
    input: commitStatus,
    good: same('compliance', 'compliance/web (main)', 'Prüfung ✅', 'x'.repeat(255)),
    bad: refused(/at most 255 characters/u, 'x'.repeat(256), 'two\nlines', 'rocket 🚀'),
  },
];

it.each(declarations)('the input $input.name accepts valid values only', ({ input, good = [], bad = [] }) => {
  expect(good.map(([text]) => input.parse(text))).toEqual(good.map(([, value]) => ({ value })));
  for (const [text, rule] of bad) {
    expect(input.parse(text)).toMatchObject({
      problem: expect.stringMatching(rule),
      remedy: expect.stringMatching(/^[A-Z].*\.$/u),
    });
  }
});

describe('what an error quotes', () => {
  it('is only the wrong line of several', () => {
    expect(declared('template').parse('artifact\nunit test\nsonar')).toHaveProperty('part', 'unit test');
    expect(declared('fingerprint', 'get-artifact').parse(`${sha256}\nXYZ`)).toHaveProperty('part', 'XYZ');
    expect(declared('redact-commit-info').parse('author,email')).toHaveProperty('part', 'email');
  });

  it('is only the beginning of a text of more than 65536 characters', () => {
    const longest = '\u{1f680}'.repeat(65_536);
    for (const input of [declared('comment'), flows.description]) {
      expect(input.parse(longest)).toEqual({ value: longest });
      expect(input.parse(`${longest}a`)).toEqual({
        problem: 'must be at most 65536 characters long',
        remedy: 'Shorten it.',
        part: `${'\u{1f680}'.repeat(20)}…`,
      });
    }
  });

  it.each([
    [baseUrl, 'https://ann:hunter2@compliance.example.com'],
    [baseUrl, 'ftp://ann:hunter2@compliance.example.com'],
    [baseUrl, 'https://compliance.example.com/?key=hunter2'],
    [baseUrl, 'https://compliance.example.com/#hunter2'],
    [baseUrl, 'ann:hunter2@compliance.example.com'],
    [declared('sonar-host-url'), 'https://hunter2:@sonar.example.com'],
    [declared('sonar-host-url'), 'sonar.example.com?token=hunter2'],
    [declared('repo-url'), 'https://ann:hunter2@github.com/acme/web'],
    [declared('repo-url'), 'https://ann:hun/hunter2@:github.com/acme/web'],
  ] as const)('of a URL is nothing that may be a password: %p', (input, text) => {
    const parsed = input.parse(text);
    expect(parsed).toHaveProperty('part');
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });
});
