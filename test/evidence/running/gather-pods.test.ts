import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conforms } from '../../../src/contract/check.ts';
import { k8sReport } from '../../../src/contract/environment.ts';
import { resolveFiles } from '../../../src/evidence/files/resolve-files.ts';
import { gatherPods, type PodEvidence, readPods } from '../../../src/evidence/running/gather-pods.ts';
import { UserError } from '../../../src/runtime/failure.ts';
import { aPod, containerStatus, digestOf, podList } from '../../support/pods.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';
import { userErrorOf } from '../../support/user-error.ts';

const report = {
  artifacts: [
    { creationTimestamp: 1_767_323_045, digests: { 'web:1': digestOf('a') }, namespace: 'shop', podName: 'web-1' },
  ],
};

describe('readPods', () => {
  it('takes digests that are written with `sha256:`, or in upper case', () => {
    const written = (digest: string): unknown => ({
      artifacts: [{ ...report.artifacts[0], digests: { 'web:1': digest } }],
    });
    for (const digest of [`sha256:${digestOf('a')}`, digestOf('a').toUpperCase()]) {
      expect(readPods(written(digest), 'report.json').report).toEqual(report);
    }
    expect(() => readPods(written('sha256:'), 'report.json')).toThrow('digests');
  });

  it('takes a list whose items leave out their kind', () => {
    const item = Object.fromEntries(Object.entries(aPod('web-1')).filter(([key]) => key !== 'kind'));
    const list = { ...podList(item), kind: 'PodList' };
    expect(readPods(list, 'pods.json').report.artifacts).toHaveLength(1);
  });

  it.each([
    [[], 'pods.json is JSON, but not an object'],
    [{}, 'pods.json has no `items`'],
    [aPod('web-1'), 'pods.json is of the kind "Pod"'],
    [{ kind: 'ServiceList', items: [] }, 'pods.json is of the kind "ServiceList"'],
    [{ kind: 'List', items: {} }, 'pods.json: items must be a list, and is an object'],
    [podList(aPod('a'), { ...aPod('b'), kind: 'Service' }), 'items[1].kind must be "Pod", and is "Service"'],
    [podList(aPod('a'), 'b'), 'items[1] must be an object, and is "b"'],
    [podList(aPod('a', { metadata: { name: null } })), 'items[0].metadata.name must be a text, and is missing'],
    [
      { ...podList(aPod('a')), metadata: { continue: 'eyJ2IjoibWV0YS5rOHMuaW8' } },
      'metadata.continue must be absent, because a report needs the whole list, and is "eyJ2IjoibWV0YS5rOHMuaW8"',
    ],
    [{ artifacts: [{ ...report.artifacts[0], podName: '' }] }, 'pods.json: artifacts.0.podName must'],
    [{ artifacts: [], more: 1 }, 'pods.json: more is not a known field'],
    [{ artifacts: 'none' }, 'pods.json: artifacts must be array'],
  ])('refuses anything else and says where (%#)', (document, words) => {
    expect(() => readPods(document, 'pods.json')).toThrow(words);
    expect(() => readPods(document, 'pods.json')).toThrow(UserError);
  });

  it('makes a valid report of any list of pods, and loses no pod and no container on the way', () => {
    const name = fc.stringMatching(/^[a-z]{1,8}$/u);
    const container = fc
      .tuple(name, fc.stringMatching(/^[a-z/:.1]{1,10}$/u), fc.option(fc.stringMatching(/^[a-f0-9]{64}$/u)))
      .map(([called, image, digest]) => ({ called, image, digest }));
    const pod = fc.record({
      called: name,
      phase: fc.constantFrom('Running', 'Pending', 'Succeeded', 'Failed', 'Unknown'),
      containers: fc.array(container, { maxLength: 4 }),
      list: fc.constantFrom('containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'),
    });
    fc.assert(
      fc.property(fc.array(pod, { maxLength: 8 }), (pods) => {
        const evidence = readPods(
          podList(
            ...pods.map(({ called, phase, containers, list }) => {
              const statuses = containers.map((c) =>
                containerStatus(c.called, c.image, c.digest === null ? '' : `r@sha256:${c.digest}`),
              );
              return aPod(called, { status: { phase, containerStatuses: [], [list]: statuses } });
            }),
          ),
          'pods.json',
        );
        expect(conforms(k8sReport, evidence.report)).toBe(true);
        const running = pods.filter(({ phase }) => phase === 'Running');
        expect(sum(evidence.notRunning.values())).toBe(pods.length - running.length);
        const all = running.flatMap(({ containers }) => containers);
        expect(evidence.withoutDigest).toHaveLength(all.filter(({ digest }) => digest === null).length);
        for (const { digest } of all) if (digest !== null) expect(digestsIn(evidence)).toContain(digest);
      }),
    );
  });

  it('ends with the user’s mistake on whatever JSON there is, never with a defect', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (anything) => {
        for (const document of [anything, podList(anything), podList({ ...aPod('a'), status: anything })]) {
          expect(runOutcome(() => readPods(document, 'pods.json'))).not.toBe('defect');
        }
      }),
    );
  });
});

describe('gatherPods', () => {
  const workspace = workspaceForEachTest();

  async function gathered(content: string | Uint8Array): Promise<PodEvidence> {
    await workspace.write('pods.json', content);
    const [file] = await resolveFiles({ patterns: ['pods.json'], workspace: workspace.path });
    if (file === undefined) throw new Error('the file is not there');
    return gatherPods(file);
  }

  it('reads a file as a shell writes it: UTF-8, or PowerShell’s UTF-16', async () => {
    const text = JSON.stringify(podList(aPod('wéb-1')));
    for (const content of [text, `\ufeff${text}`, Buffer.from(`\ufeff${text}`, 'utf16le')]) {
      const { report: made } = await gathered(content);
      expect(made.artifacts.map(({ podName }) => podName)).toEqual(['wéb-1']);
    }
  });

  it('refuses what is no JSON and what is no text', async () => {
    expect((await userErrorOf(() => gathered('NAME  READY'))).message).toMatch(/^pods\.json is not JSON: /u);
    expect((await userErrorOf(() => gathered(''))).message).toMatch(/^pods\.json is not JSON: /u);
    expect((await userErrorOf(() => gathered(Buffer.from([0x7b, 0xff])))).message).toBe(
      'pods.json is not text in UTF-8',
    );
  });
});

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, number) => total + number, 0);
}

function digestsIn({ report: made }: PodEvidence): readonly string[] {
  return made.artifacts.flatMap(({ digests }) => Object.values(digests));
}

/** Whether a function returns, throws a UserError, or throws another error. */
function runOutcome(work: () => unknown): 'success' | 'user' | 'defect' {
  try {
    work();
    return 'success';
  } catch (thrown) {
    return thrown instanceof UserError ? 'user' : 'defect';
  }
}
