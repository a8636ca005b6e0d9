/**
 * What `kubectl get pods -A -o json` prints of one running pod, as far as it matters here.
 *
 * @param images the SHA-256 that each container runs, by the container's name
 */
export function podList(images: Readonly<Record<string, string>>): unknown {
  const containers = Object.entries(images).map(([name, digest]) => {
    const image = `registry.example.com/${name}`;
    return {
      specified: { name, image: `${image}:1` },
      status: {
        name,
        image: `${image}:1`,
        imageID: `${image}@sha256:${digest}`,
        ready: true,
        restartCount: 0,
        state: { running: { startedAt: '2026-11-18T10:50:00Z' } },
      },
    };
  });
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-5d8f7c-x2x9k', namespace: 'shop', creationTimestamp: '2026-11-18T10:49:55Z' },
    spec: { containers: containers.map(({ specified }) => specified) },
    status: { phase: 'Running', containerStatuses: containers.map(({ status }) => status) },
  };
  return { apiVersion: 'v1', kind: 'List', items: [pod] };
}
