import type { Mapping } from '../../src/runtime/untrusted-data.ts';

/** A digest that is easy to recognise: one digit, 64 times. */
export function digestOf(digit: string): string {
  return digit.repeat(64);
}

/** A container's status as a cluster prints it. */
export function containerStatus(name: string, image: string, imageId: string): Mapping {
  return {
    containerID: `containerd://${digestOf('f')}`,
    image,
    imageID: imageId,
    name,
    ready: true,
    restartCount: 0,
    state: { running: { startedAt: '2026-01-02T03:04:10Z' } },
  };
}

/** A pod as `kubectl get pods -A -o json` prints it, with these changes. */
export function aPod(
  name: string,
  { metadata = {}, spec = {}, status = {} }: Partial<Record<'metadata' | 'spec' | 'status', Mapping>> = {},
): Mapping {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      creationTimestamp: '2026-01-02T03:04:05Z',
      labels: { app: 'web' },
      name,
      namespace: 'shop',
      resourceVersion: '4711',
      uid: '11111111-2222-3333-4444-555555555555',
      ...metadata,
    },
    spec: { containers: [{ name: 'web', image: 'registry.example.com/web:1' }], nodeName: 'node-1', ...spec },
    status: {
      containerStatuses: [
        containerStatus('web', 'registry.example.com/web:1', `registry.example.com/web@sha256:${digestOf('a')}`),
      ],
      phase: 'Running',
      podIP: '10.0.0.1',
      ...status,
    },
  };
}

/** A container and its image, as `docker inspect` prints them. */
export const runningContainers: readonly unknown[] = [
  {
    Id: '0123456789ab',
    Created: '2026-01-02T03:04:05.123456789Z',
    State: { Status: 'running', Running: true },
    Image: 'sha256:1',
    Name: '/web',
    Config: { Image: 'ghcr.io/acme/web:1' },
  },
  { Id: 'sha256:1', RepoTags: ['ghcr.io/acme/web:1'], RepoDigests: [`ghcr.io/acme/web@sha256:${digestOf('a')}`] },
];

/** What `kubectl get pods -A -o json` prints. */
export function podList(...items: readonly unknown[]): Mapping {
  return { apiVersion: 'v1', items, kind: 'List', metadata: { resourceVersion: '' } };
}
