import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Job } from '../../../src/evidence/job.ts';
import { operations } from '../../../src/operations/registry.ts';
import type { EnvironmentVariables } from '../../../src/runtime/dependencies.ts';
import { isMapping } from '../../../src/runtime/untrusted-data.ts';
import {
  commentMarker,
  commentOrigin,
  isOutdated,
  readOrigin,
  renderOrigin,
} from '../../../src/step/publish/comment-marker.ts';
import { readStepIdentity } from '../../../src/step/run/step-identity.ts';
import { inputVariables } from '../../../tools/run-action.ts';
import { shas } from '../../support/events.ts';
import { inputSource } from '../../support/input-source.ts';
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
  const identity = readStepIdentity(inputSource({ ...inputVariables({ ...inputs, ...given }), ...variables }));
  return commentMarker(identity, { ...job, ...other }, plainly);
}

/** The value with the keys of all its objects in reverse order. */
function turnedAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedAround);
  if (!isMapping(value)) return value;
  const turned = Object.entries(value).map(([key, inner]) => [key, turnedAround(inner)] as const);
  return Object.fromEntries(turned.reverse());
}

describe('commentMarker', () => {
  it('names workflow, job, operation and flow', () => {
    expect(marker()).toMatch(
      /^<!-- compliance-action workflow=CI job=build operation=get%2Dartifact flow=web id=[0-9a-f]{32} -->$/u,
    );
  });

  it('differs for everything that distinguishes steps', () => {
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

  it('depends on every input of an operation that does not change from run to run', async () => {
    // A new input belongs either in this list or in the marker.
    const changing = [
      'allowed-licenses',
      'annotations',
      'artifacts',
      'attestation-id',
      'comment',
      'commit-sha',
      'compliant',
      'description',
      'environment-type',
      'external-fingerprints',
      'external-urls',
      'fail-on',
      'filename',
      'fingerprint',
      'from-timestamp',
      'github-token',
      'image',
      'include-hidden-files',
      'included-environments',
      'interval',
      'issue-pattern',
      'jira-api-token',
      'jira-base-url',
      'jira-username',
      'minimum-approvals',
      'on-outage',
      'page',
      'per-page',
      'preview',
      'redact-commit-info',
      'repo-url',
      'require-provenance',
      'reverse',
      'since',
      'sonar-branch',
      'sonar-host-url',
      'sonar-pull-request',
      'sonar-task-url',
      'sonar-timeout',
      'sonar-token',
      'spool-path',
      'template',
      'template-file',
      'to-timestamp',
      'trail',
      'unknown-licenses',
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

  it('of assert-trail is that of the trail', () => {
    const of = (given: Readonly<Record<string, string>>, other: Partial<Job> = {}): string =>
      marker({ operation: 'assert-trail', ...given }, {}, other);
    const all = [of({}), of({ trail: 'u' }), of({ flow: 'api' }), of({ org: 'other' }), of({ trail: shas.head })];
    expect(new Set(all).size).toBe(all.length);
    expect(of({ matrix: '{"service":"web"}' }, { workflow: 'Nightly', job: 'test' })).toBe(of({}));
    for (const trail of ['', shas.base]) expect(of({ trail })).toBe(of({ trail: shas.head }));
    expect(of({ trail: `web-${shas.base}-8` }, { runId: '8' })).toBe(
      of({ trail: `web-${shas.head}-7` }, { runId: '7' }),
    );
    // The ids of runs begin at 1 on a new server.
    expect(of({ trail: 'build-10' }, { runId: '1' })).not.toBe(of({ trail: 'build-0' }, { runId: '1' }));
    expect(of({ trail: 'build-10' }, { runId: '1' })).toBe(of({ trail: 'build-10' }, { runId: '2' }));
  });

  it.each(['null', '', '{}', '[]', '"web"', '{"service":'])('treats the matrix %j as none', (matrix) => {
    expect(marker({ matrix })).toBe(marker());
  });

  it('does not depend on the order and formatting of the matrix values', () => {
    const values = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
    fc.assert(
      fc.property(values, (given) => {
        const turned = JSON.stringify(turnedAround(given), undefined, 2);
        expect(marker({ matrix: turned })).toBe(marker({ matrix: JSON.stringify(given) }));
        expect(marker({ matrix: turned })).not.toBe(marker());
      }),
    );
  });

  it('reads environment fallbacks as well', () => {
    const variables = { ...inputVariables(inputs), INPUT_FLOW: '', COMPLIANCE_FLOW: 'web' };
    expect(commentMarker(readStepIdentity(inputSource(variables)), job, plainly)).toBe(marker());
  });

  it('cannot be closed early by any name', () => {
    const name = fc.oneof(fc.constantFrom('-->', '--!>', 'a --> <script>', '\n\n# x', '-'), fc.string());
    fc.assert(
      fc.property(name, name, name, (workflow, key, flow) => {
        const text = marker({ flow }, {}, { workflow, job: key });
        expect(text).toMatch(/^<!-- compliance-action [\w%.!~*'()= ]+ -->$/u);
        expect(text.slice(4, -3)).not.toMatch(/--|>/u);
      }),
    );
  });

  it('contains no secret, not even an encoded one', () => {
    const given = { ...inputVariables({ ...inputs, flow: 'a-hush-b' }) };
    const text = commentMarker(readStepIdentity(inputSource(given)), job, (plain) => plain.replaceAll('-hush-', '***'));
    expect(text).toContain('flow=a***b');
  });

  it('stays short for long names, and still distinguishes them', () => {
    const long = 'x'.repeat(100_000);
    const other = marker({ flow: `${long}y` });
    expect(marker({ flow: long })).not.toBe(other);
    expect(other.length).toBeLessThan(2000);
  });
});

describe('the origin of a comment', () => {
  const origin = { run: 17, attempt: 2, commit: shas.head };

  it('is read back as written', () => {
    for (const written of [origin, { run: undefined, attempt: 1, commit: undefined }]) {
      expect(readOrigin(`<!-- marker -->\n${renderOrigin(written)}\n\ntext`)).toEqual(written);
    }
  });

  it('is undefined if the body does not have this form', () => {
    expect(readOrigin('some text')).toBeUndefined();
    expect(readOrigin(`> ${renderOrigin(origin)}`)).toBeUndefined();
  });

  it('consists of the run, its attempt and the commit', () => {
    expect(commentOrigin({ ...job, runId: '17' }, shas.head)).toEqual(origin);
    expect(commentOrigin({ ...job, runId: 'x', runAttempt: undefined }, undefined)).toEqual({
      run: undefined,
      attempt: 1,
      commit: undefined,
    });
  });

  it.each([
    ['a newer run, of another commit', { ...origin, run: 18, commit: shas.base }, true],
    ['a newer run, of the same commit', { ...origin, run: 18 }, false],
    ['the same run', origin, false],
    ['an older run', { ...origin, run: 16, commit: shas.base }, false],
    ['a run without an id', { ...origin, run: undefined, commit: shas.base }, false],
    ['nobody', undefined, false],
  ] as const)('decides whether the comment stays: %s', (_who, earlier, stays) => {
    expect(isOutdated(origin, earlier)).toBe(stays);
  });
});
