import { describe, expect, it } from '@jest/globals';
import { DocumentNode } from '../../../src/evidence/running/document-node.ts';
import { type Pod, readPod } from '../../../src/evidence/running/pod.ts';
import type { Mapping } from '../../../src/runtime/untrusted-data.ts';
import { aPod, containerStatus, digestOf } from '../../support/pods.ts';

function read(pod: Mapping): Pod {
  return readPod(new DocumentNode({ file: 'pods.json', command: 'kubectl get pods -A -o json' }, pod));
}

const image = 'registry.example.com/web:1';

describe('readPod', () => {
  it('reads the fields of a running pod that the interface requires', () => {
    expect(read(aPod('web-1'))).toEqual({
      reported: {
        creationTimestamp: 1_767_323_045,
        digests: { [image]: digestOf('a') },
        namespace: 'shop',
        podName: 'web-1',
      },
      withoutDigest: [],
    });
  });

  it('keeps its owners as Kubernetes names them', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
    const pod = read(aPod('web-1', { metadata: { ownerReferences: [owner] } }));
    expect(pod).toMatchObject({ reported: { owners: [owner] } });
  });

  it.each(['', 'docker-pullable://', 'docker://'])('finds the digest of an image after %j', (scheme) => {
    for (const name of ['registry.example.com:5000/shop/web_1@', '']) {
      const containerStatuses = [containerStatus('web', image, `${scheme}${name}sha256:${digestOf('0')}`)];
      expect(read(aPod('web-1', { status: { containerStatuses } }))).toMatchObject({
        reported: { digests: { [image]: digestOf('0') } },
      });
    }
  });

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
    expect(read(aPod('web-1', { status: { containerStatuses } }))).toEqual({
      reported: undefined,
      withoutDigest: ['shop/web-1/web'],
    });
  });

  it('includes init and ephemeral containers', () => {
    const pod = read(
      aPod('web-1', {
        status: {
          initContainerStatuses: [containerStatus('init', 'init:1', `docker-pullable://init@sha256:${digestOf('b')}`)],
          ephemeralContainerStatuses: [containerStatus('debug', 'debug:1', `sha256:${digestOf('c')}`)],
        },
      }),
    );
    expect(pod).toMatchObject({
      reported: { digests: { [image]: digestOf('a'), 'init:1': digestOf('b'), 'debug:1': digestOf('c') } },
    });
  });

  it.each(['Pending', 'Succeeded', 'Failed', 'Unknown'])('leaves out a pod that is %s', (phase) => {
    expect(read(aPod('web-1', { status: { phase } }))).toEqual({ notRunning: phase });
  });

  it('leaves out and names the containers that have no digest yet', () => {
    const pod = read(
      aPod('web-1', {
        status: {
          containerStatuses: [
            containerStatus('web', image, `x@sha256:${digestOf('a')}`),
            containerStatus('sidecar', 'sidecar:1', ''),
            { name: 'late' },
          ],
        },
      }),
    );
    expect(pod).toMatchObject({
      reported: { digests: { [image]: digestOf('a') } },
      withoutDigest: ['shop/web-1/sidecar', 'shop/web-1/late'],
    });
  });

  it('does not report a pod without any digest', () => {
    expect(read(aPod('web-1', { status: { containerStatuses: null } }))).toEqual({
      reported: undefined,
      withoutDigest: [],
    });
  });

  it('uses the requested name of an image if the runtime knows only its digest', () => {
    const status = {
      containerStatuses: [containerStatus('web', `sha256:${digestOf('a')}`, `sha256:${digestOf('a')}`)],
    };
    expect(read(aPod('web-1', { status }))).toMatchObject({ reported: { digests: { [image]: digestOf('a') } } });
    const withoutSpec = read({ ...aPod('web-1', { status }), spec: null });
    expect(withoutSpec).toMatchObject({ reported: { digests: { [`sha256:${digestOf('a')}`]: digestOf('a') } } });
  });

  it('keeps both digests of a moved tag', () => {
    const containerStatuses = ['a', 'b', 'a'].map((digit, at) =>
      containerStatus(`c${at}`, image, `x@sha256:${digestOf(digit)}`),
    );
    expect(read(aPod('web-1', { status: { containerStatuses } }))).toMatchObject({
      reported: { digests: { [image]: digestOf('a'), [`${image}@sha256:${digestOf('b')}`]: digestOf('b') } },
    });
  });

  it('treats the name of an image only as a name', () => {
    const containerStatuses = [containerStatus('web', '__proto__', `sha256:${digestOf('a')}`)];
    const pod = read(aPod('web-1', { status: { containerStatuses } }));
    expect('reported' in pod && Object.entries(pod.reported?.digests ?? {})).toEqual([['__proto__', digestOf('a')]]);
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
