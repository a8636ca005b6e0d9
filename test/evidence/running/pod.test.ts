import { describe, expect, it } from '@jest/globals';
import { DocumentNode } from '../../../src/evidence/running/document-node.ts';
import { Findings } from '../../../src/evidence/running/findings.ts';
import { readPod, type ReportedPod } from '../../../src/evidence/running/pod.ts';
import type { Mapping } from '../../../src/runtime/untrusted-data.ts';
import { aPod, containerStatus, digestOf } from '../../support/pods.ts';

function read(pod: Mapping): Findings<ReportedPod> {
  const found = new Findings<ReportedPod>();
  readPod(new DocumentNode({ file: 'pods.json', command: 'kubectl get pods -A -o json' }, pod), found);
  return found;
}

const image = 'registry.example.com/web:1';

describe('readPod', () => {
  it.each([
    '',
    'registry.example.com/web:1',
    `sha512:${digestOf('a')}${digestOf('a')}`,
    `sha256:${digestOf('a').slice(1)}`,
    `sha256:${digestOf('a')}a`,
    `sha256:${digestOf('a').toUpperCase()}`,
    `sha256:${digestOf('a')}\n`,
    `websha256:${digestOf('a')}`,
  ])('finds no digest in %j', (imageId) => {
    const containerStatuses = [containerStatus('web', image, imageId)];
    expect(read(aPod('web-1', { status: { containerStatuses } }))).toMatchObject({
      artifacts: [],
      withoutDigest: ['shop/web-1/web'],
    });
  });

  it('uses the requested name of an image if the runtime knows only its digest', () => {
    const status = {
      containerStatuses: [containerStatus('web', `sha256:${digestOf('a')}`, `docker://sha256:${digestOf('a')}`)],
    };
    expect(read(aPod('web-1', { status }))).toMatchObject({ artifacts: [{ digests: { [image]: digestOf('a') } }] });
    const withoutSpec = read({ ...aPod('web-1', { status }), spec: null });
    expect(withoutSpec).toMatchObject({ artifacts: [{ digests: { [`sha256:${digestOf('a')}`]: digestOf('a') } }] });
  });

  it('keeps both digests of a moved tag', () => {
    const containerStatuses = ['a', 'b', 'a'].map((digit, at) =>
      containerStatus(`c${at}`, image, `x@sha256:${digestOf(digit)}`),
    );
    expect(read(aPod('web-1', { status: { containerStatuses } }))).toMatchObject({
      artifacts: [{ digests: { [image]: digestOf('a'), [`${image}@sha256:${digestOf('b')}`]: digestOf('b') } }],
    });
  });

  it('treats the name of an image only as a name', () => {
    const containerStatuses = [containerStatus('web', '__proto__', `sha256:${digestOf('a')}`)];
    const [pod] = read(aPod('web-1', { status: { containerStatuses } })).artifacts;
    expect(Object.entries(pod?.digests ?? {})).toEqual([['__proto__', digestOf('a')]]);
  });

  it.each([
    [{}, 'status must be an object, and is missing'],
    [aPod('web-1', { status: { phase: null } }), 'status.phase must be a text, and is missing'],
    [aPod('web-1', { metadata: { name: 7 } }), 'metadata.name must be a text, and is 7'],
    [aPod('web-1', { metadata: { namespace: '' } }), 'metadata.namespace must be a text, and is ""'],
    [
      aPod('web-1', { metadata: { creationTimestamp: 'today' } }),
      'metadata.creationTimestamp must be a time such as 2026-01-02T03:04:05Z, and is "today"',
    ],
    [
      aPod('web-1', { metadata: { ownerReferences: ['me'] } }),
      'metadata.ownerReferences[0] must be an object, and is "me"',
    ],
    [aPod('web-1', { status: { containerStatuses: {} } }), 'status.containerStatuses must be a list, and is an object'],
    [
      aPod('web-1', { status: { containerStatuses: [{ name: 'web', imageID: ['x'] }] } }),
      'status.containerStatuses[0].imageID must be a text, and is a list',
    ],
  ])('names the place where it is malformed (%#)', (pod, words) => {
    expect(() => read(pod)).toThrow(`pods.json: ${words}`);
  });
});
