import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Job } from '../../../src/evidence/job.ts';
import { isMapping } from '../../../src/runtime/untrusted-data.ts';
import { operations } from '../../../src/operations/registry.ts';
import type { EnvironmentVariables } from '../../../src/runtime/dependencies.ts';
import {
  commentMarker,
  isOutdated,
  readOrigin,
  renderOrigin,
  commentOrigin,
} from '../../../src/step/publish/comment-marker.ts';
import { readStepIdentity } from '../../../src/step/run/step-identity.ts';
import { inputVariables } from '../../../tools/run-action.ts';
import { shas } from '../../support/events.ts';
import { jobOf } from '../../support/job.ts';

const job: Job = jobOf('push', {});
const plainly = (text: string): string => text;
const inputs = {
  operation: 'get-artifact',
  flow: 'web',
  org: 'acme',
  files: 'dist/*.tgz',
  fingerprint: 'a',
  trail: 't',
};

function marker(
  given: Readonly<Record<string, string>> = {},
  variables: EnvironmentVariables = {},
  other: Partial<Job> = {},
) {
  const identity = readStepIdentity({ ...inputVariables({ ...inputs, ...given }), ...variables });
  return commentMarker(identity, { ...job, ...other }, plainly);
}

/** The value with the keys of all its mappings in the other order. */
function turnedAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedAround);
  if (!isMapping(value)) return value;
  const turned = Object.entries(value).map(([key, inner]) => [key, turnedAround(inner)] as const);
  return Object.fromEntries(turned.reverse());
}

describe('the marker of a comment', () => {
  it('names workflow, job, operation and flow', () => {
    expect(marker()).toMatch(
      /^<!-- compliance-action workflow=CI job=build operation=get%2Dartifact flow=web id=[0-9a-f]{32} -->$/u,
    );
  });

  it('is another one for whatever tells steps apart', () => {
    const all = [
      marker(),
      marker({ operation: 'list-attestations' }),
      marker({ flow: 'api' }),
      marker({ org: 'other' }),
      marker({ files: 'build/*.tgz' }),
      marker({ environment: 'prod' }),
      marker({ 'attestation-name': 'unit' }),
      marker({ matrix: '{"service":"web"}' }),
      marker({ matrix: '{"service":"api"}' }),
      marker({ matrix: '{"service":{"name":"api"}}' }),
      marker({}, { GITHUB_ACTION: 'gate_2' }),
      marker({}, { RUNNER_OS: 'Windows' }),
      marker({}, { RUNNER_ARCH: 'ARM64' }),
      marker({}, {}, { workflow: 'Nightly' }),
      marker({}, {}, { job: 'test' }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('is of every input of an operation, but for those that may change from run to run', async () => {
    // A new input belongs to this list, or to those that the marker is made of.
    const changing = [
      'attestation-id',
      'comment',
      'commit-sha',
      'description',
      'environment-type',
      'fingerprint',
      'from-timestamp',
      'github-token',
      'included-environments',
      'interval',
      'page',
      'per-page',
      'redact-commit-info',
      'repo-url',
      'reverse',
      'sonar-host-url',
      'sonar-timeout',
      'sonar-token',
      'template',
      'to-timestamp',
      'trail',
      'unverified-revision',
      'user-data',
      'visibility',
      'wait',
    ];
    const names = new Set<string>();
    for (const load of Object.values(operations)) {
      for (const { input } of Object.values((await load()).inputs)) names.add(input.name);
    }
    const left = [...names].filter((name) => marker() === marker({ [name]: 'another' })).sort();
    expect(left).toEqual(changing);
  });

  it('is the same for the next commit, run and attempt', () => {
    const next = marker({ fingerprint: 'b', trail: 'u' }, {}, { runId: '7', runAttempt: '3' });
    expect(next).toBe(marker());
  });

  it.each(['null', '', '{}', '[]', '"web"', '{"service":'])('is that of a job without a matrix for %j', (matrix) => {
    expect(marker({ matrix })).toBe(marker());
  });

  it('is the same however the values of the matrix are ordered and written', () => {
    const values = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(values, (given) => {
        const turned = JSON.stringify(turnedAround(given), undefined, 2);
        expect(marker({ matrix: turned })).toBe(marker({ matrix: JSON.stringify(given) }));
        expect(marker({ matrix: turned })).not.toBe(marker());
      }),
    );
  });

  it('takes an input from its environment fallback as well', () => {
    const variables = { ...inputVariables(inputs), INPUT_FLOW: '', COMPLIANCE_FLOW: 'web' };
    expect(commentMarker(readStepIdentity(variables), job, plainly)).toBe(marker());
  });

  it('cannot be broken out of, whatever the names are', () => {
    const name = fc.oneof(fc.constantFrom('-->', '--!>', 'a --> <script>', '\n\n# x', '-'), fc.string());
    fc.assert(
      fc.property(name, name, name, (workflow, key, flow) => {
        const text = marker({ flow }, {}, { workflow, job: key });
        expect(text).toMatch(/^<!-- compliance-action [\w%.!~*'()= ]+ -->$/u);
        expect(text.slice(4, -3)).not.toMatch(/--|>/u);
      }),
    );
  });

  it('holds no secret, not even an encoded one', () => {
    const given = { ...inputVariables({ ...inputs, flow: 'a-hush-b' }) };
    const text = commentMarker(readStepIdentity(given), job, (plain) => plain.replaceAll('-hush-', '***'));
    expect(text).toContain('flow=a***b');
  });

  it('stays short for long names, and still tells them apart', () => {
    const long = 'x'.repeat(100_000);
    const other = marker({ flow: `${long}y` });
    expect(marker({ flow: long })).not.toBe(other);
    expect(other.length).toBeLessThan(2000);
  });
});

describe('who told a comment', () => {
  const told = { run: 17, attempt: 2, commit: shas.head };

  it('is read as it was written', () => {
    for (const origin of [told, { run: undefined, attempt: 1, commit: undefined }]) {
      expect(readOrigin(`<!-- marker -->\n${renderOrigin(origin)}\n\ntext`)).toEqual(origin);
    }
  });

  it('is unknown where it is not said in this form', () => {
    expect(readOrigin('some text')).toBeUndefined();
    expect(readOrigin(`> ${renderOrigin(told)}`)).toBeUndefined();
  });

  it('is the run, its attempt, and the judged commit', () => {
    expect(commentOrigin({ ...job, runId: '17' }, shas.head)).toEqual(told);
    expect(commentOrigin({ ...job, runId: 'x', runAttempt: undefined }, undefined)).toEqual({
      run: undefined,
      attempt: 1,
      commit: undefined,
    });
  });

  it.each([
    ['a newer run, of another commit', { ...told, run: 18, commit: shas.base }, true],
    ['a newer run, of the same commit', { ...told, run: 18 }, false],
    ['the same run', told, false],
    ['an older run', { ...told, run: 16, commit: shas.base }, false],
    ['a run without an id', { ...told, run: undefined, commit: shas.base }, false],
    ['nobody', undefined, false],
  ] as const)('decides whether the comment stays: %s', (_who, earlier, stays) => {
    expect(isOutdated(told, earlier)).toBe(stays);
  });
});
