import { describe, expect, it } from '@jest/globals';
import {
  artifactFiles,
  commitSha,
  files,
  githubToken,
  redactCommitInfo,
  sonarHostUrl,
  sonarReportPath,
  sonarTimeout,
  sonarToken,
  userData,
} from '../../../src/operations/inputs/evidence-inputs.ts';
import { baseUrl, connectionInputs } from '../../../src/operations/inputs/connection-inputs.ts';
import {
  attestationId,
  attestationName,
  description,
  fingerprint,
  fingerprints,
  flow,
  repoUrl,
  template,
  trail,
  visibility,
} from '../../../src/operations/inputs/flow-inputs.ts';
import type { Input } from '../../../src/operations/inputs/input.ts';
import { expectInput, type InputCases } from '../../support/input-cases.ts';

interface Expected extends InputCases {
  readonly input: Input<unknown>;
  readonly name: string;
}

const { apiToken, authMethod, org, timeoutSeconds, retries, fileParts } = connectionInputs;
const sha256 = 'ab'.repeat(32);
const anId = '1a2b3c4d-0000-1111-2222-12345678';

const declarations: readonly Expected[] = [
  {
    input: baseUrl,
    name: 'base-url',
    good: [
      ['https://compliance.example.com/api/v2', new URL('https://compliance.example.com/api/v2')],
      ['https://compliance.example.com', new URL('https://compliance.example.com/api/v2')],
      ['https://compliance.example.com/', new URL('https://compliance.example.com/api/v2')],
      ['http://127.0.0.1:8080/below/', new URL('http://127.0.0.1:8080/below/api/v2')],
    ],
    bad: [
      ['compliance.example.com', /must be a URL such as https:/u],
      ['ftp://compliance.example.com', /must start with https:\/\//u],
      ['https://ann:pass@compliance.example.com', /must not contain a user name or password/u],
      ['https://compliance.example.com/?key=1', /must not hold a query or a fragment/u],
      ['https://compliance.example.com/#key', /must not hold a query or a fragment/u],
    ],
  },
  {
    input: apiToken.input,
    name: 'api-token',
    good: [['0a1b2c_SECRET-of.some~kind+/=', '0a1b2c_SECRET-of.some~kind+/=']],
    bad: [
      ['two words', /white space/u],
      ['broken\nline', /white space/u],
      ['copied\u200Binvisibly', /visible ASCII/u],
      ['schlüssel', /visible ASCII/u],
      ['fifteen-letters', /at least 16 characters/u],
    ],
  },
  {
    input: authMethod.input,
    name: 'auth-method',
    good: [
      ['bearer', 'bearer'],
      ['basic', 'basic'],
    ],
    bad: [
      ['Bearer', /must be `bearer` or `basic`/u],
      ['digest', /must be `bearer` or `basic`/u],
    ],
  },
  {
    input: org.input,
    name: 'org',
    good: [
      ['acme', 'acme'],
      ['4-acme_A.~', '4-acme_A.~'],
    ],
    bad: [
      ['acme corp', /must be the name of an organization/u],
      ['-acme', /must be the name of an organization/u],
      ['acme/web', /must be the name of an organization/u],
      ['..', /must be the name of an organization/u],
    ],
  },
  {
    input: timeoutSeconds.input,
    name: 'timeout',
    good: [
      ['1', 1],
      ['030', 30],
      ['3600', 3600],
    ],
    bad: [
      ['0', /from 1 to 3600/u],
      ['3601', /from 1 to 3600/u],
      ['30s', /whole number of seconds/u],
      ['1.5', /whole number of seconds/u],
      ['-1', /whole number of seconds/u],
      ['1e3', /whole number of seconds/u],
      ['0x10', /whole number of seconds/u],
      ['9'.repeat(400), /whole number of seconds/u],
    ],
  },
  {
    input: retries.input,
    name: 'retries',
    good: [
      ['0', 0],
      ['20', 20],
    ],
    bad: [
      ['21', /from 0 to 20/u],
      ['none', /whole number of retries/u],
    ],
  },
  {
    input: fileParts.input,
    name: 'file-parts',
    good: [
      ['indexed', 'indexed'],
      ['plain', 'plain'],
    ],
    bad: [['both', /must be `indexed` or `plain`/u]],
  },
  {
    input: flow,
    name: 'flow',
    good: [
      ['web', 'web'],
      ['0.web-front_end~2', '0.web-front_end~2'],
    ],
    bad: [
      ['pr/12', /must be the name of a flow/u],
      ['_web', /must be the name of a flow/u],
      ['web\n', /must be the name of a flow/u],
      ['wéb', /must be the name of a flow/u],
    ],
  },
  {
    input: trail,
    name: 'trail',
    good: [['pr-12', 'pr-12']],
    bad: [['pr/12', /must be the name of a trail/u]],
  },
  {
    input: attestationName,
    name: 'attestation-name',
    good: [
      ['sonar', 'sonar'],
      ['web.sonar', 'web.sonar'],
    ],
    bad: [
      ['web.sonar.more', /must be the name of an attestation/u],
      ['web.', /must be the name of an attestation/u],
      ['.sonar', /must be the name of an attestation/u],
      ['sonar,other', /must be the name of an attestation/u],
    ],
  },
  {
    input: fingerprint,
    name: 'fingerprint',
    good: [[`sha256:${sha256}`, sha256]],
    bad: [
      [sha256.slice(1), /64 hex digits/u],
      [`${sha256}0`, /64 hex digits/u],
      [`web@sha256:${sha256}`, /64 hex digits/u],
    ],
  },
  {
    input: fingerprints,
    name: 'fingerprint',
    good: [
      [sha256, [sha256]],
      ['abcde', ['abcde']],
      [`${sha256}\r\n  12345 \n`, [sha256, '12345']],
      [`sha256:${sha256}\nsha256:ABCDE`, [sha256, 'abcde']],
    ],
    bad: [
      ['abcd', /at least the first 5/u],
      ['abcdeg', /at least the first 5/u],
      [`${sha256}0`, /at least the first 5/u],
      [`${sha256}\nABCDX`, /at least the first 5/u],
      [`${sha256}\n\n`, /on every line, but line 2 of 2 is empty/u],
    ],
  },
  {
    input: attestationId,
    name: 'attestation-id',
    good: [[anId, anId]],
    bad: [
      ['1a2b3c4d-0000-1111-2222-123456789012', /8, 4, 4, 4 and 8 lowercase hex digits/u],
      [anId.toUpperCase(), /8, 4, 4, 4 and 8 lowercase hex digits/u],
    ],
  },
  {
    input: description,
    name: 'description',
    good: [['Any words at all: é, ::, <b>', 'Any words at all: é, ::, <b>']],
    bad: [],
  },
  {
    input: visibility,
    name: 'visibility',
    good: [
      ['public', 'public'],
      ['private', 'private'],
    ],
    bad: [['internal', /must be `public` or `private`/u]],
  },
  {
    input: template,
    name: 'template',
    good: [
      ['artifact', ['artifact']],
      ['artifact\n  unit-test_1 \r\nsonar', ['artifact', 'unit-test_1', 'sonar']],
      ['artifact,sonar', ['artifact,sonar']],
    ],
    bad: [
      ['unit test', /must be names of evidence/u],
      ['artifact\nweb.sonar', /must be names of evidence/u],
      ['artifact\n\nsonar', /line 2 of 3 is empty/u],
    ],
  },
  {
    input: repoUrl,
    name: 'repo-url',
    good: [['https://github.com/acme/web', 'https://github.com/acme/web']],
    bad: [
      ['git@github.com:acme/web.git', /must be an http or https URL/u],
      ['javascript:alert(1)', /must be an http or https URL/u],
      ['https://', /must be an http or https URL/u],
      ['https://ann:pass@github.com/acme/web', /must not contain a user name or password/u],
    ],
  },
  {
    input: files,
    name: 'files',
    good: [['\ncoverage/**\n\n!**/*.tmp\n a b.txt\n\n', ['coverage/**', '!**/*.tmp', 'a b.txt']]],
    bad: [],
  },
  {
    input: artifactFiles,
    name: 'files',
    good: [['dist/*.tgz\n!dist/old.tgz\n', ['dist/*.tgz', '!dist/old.tgz']]],
    bad: [['\ndist/*.tgz', /line 1 of 2 is empty/u]],
  },
  { input: userData, name: 'user-data', good: [['{"a": 1}', '{"a": 1}']], bad: [] },
  { input: sonarReportPath, name: 'sonar-report-path', good: [['target/sonar', 'target/sonar']], bad: [] },
  {
    input: sonarHostUrl,
    name: 'sonar-host-url',
    good: [['https://sonar.example.com/sonarqube', 'https://sonar.example.com/sonarqube']],
    bad: [
      ['sonar.example.com', /must be an http or https URL/u],
      ['file:///etc/passwd', /must be an http or https URL/u],
      ['https://token:@sonar.example.com', /must not contain a user name or password/u],
    ],
  },
  {
    input: sonarToken,
    name: 'sonar-token',
    good: [['squ_0123456789abcdef', 'squ_0123456789abcdef']],
    bad: [['squ 0123', /white space/u]],
  },
  {
    input: sonarTimeout,
    name: 'sonar-timeout',
    good: [
      ['1', 1],
      ['21600', 21_600],
    ],
    bad: [
      ['0', /from 1 to 21600/u],
      ['21601', /from 1 to 21600/u],
      ['5 min', /whole number of seconds/u],
    ],
  },
  { input: commitSha, name: 'commit-sha', good: [['a'.repeat(40), 'a'.repeat(40)]], bad: [] },
  {
    input: redactCommitInfo,
    name: 'redact-commit-info',
    good: [
      ['author', ['author']],
      ['author, message\nbranch', ['author', 'message', 'branch']],
    ],
    bad: [['author, email', /must be `author`, `message` or `branch`/u]],
  },
  {
    input: githubToken,
    name: 'github-token',
    good: [['ghs_0123456789abcdef', 'ghs_0123456789abcdef']],
    bad: [['ghs_01 23', /white space/u]],
  },
];

describe.each(declarations)('the input $name', ({ input, name, good, bad }) => {
  it('has the name in action.yml', () => {
    expect(input.name).toBe(name);
  });

  it('accepts valid values, and refuses others with the rule and a remedy', () => {
    expectInput(input, { good, bad });
  });
});

describe('inputs of several lines', () => {
  it('name the wrong line, not the whole value', () => {
    expect(template.parse('artifact\nunit test\nsonar')).toHaveProperty('part', 'unit test');
    expect(fingerprints.parse(`${sha256}\nXYZ`)).toHaveProperty('part', 'XYZ');
    expect(redactCommitInfo.parse('author,email')).toHaveProperty('part', 'email');
  });
});

describe('inputs that are URLs', () => {
  it.each([
    [baseUrl, 'https://ann:hunter2@compliance.example.com'],
    [baseUrl, 'ftp://ann:hunter2@compliance.example.com'],
    [baseUrl, 'https://compliance.example.com/?key=hunter2'],
    [baseUrl, 'https://compliance.example.com/#hunter2'],
    [baseUrl, 'ann:hunter2@compliance.example.com'],
    [sonarHostUrl, 'https://hunter2:@sonar.example.com'],
    [sonarHostUrl, 'sonar.example.com?token=hunter2'],
    [repoUrl, 'https://ann:hunter2@github.com/acme/web'],
    [repoUrl, 'https://ann:hun/hunter2@:github.com/acme/web'],
  ] as const)('do not let %p repeat what may be a password in it', (input, text) => {
    const parsed = input.parse(text);
    expect(parsed).toHaveProperty('part');
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });
});
