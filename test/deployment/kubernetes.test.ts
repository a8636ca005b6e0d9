import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadAll as parseAll } from 'js-yaml';
import { isMapping, listAt, type Mapping, textAt, valueAt } from '../../src/runtime/untrusted-data.ts';
import { usage } from '../../src/service/commands/service-options.ts';
import { defaultTimeouts } from '../../src/service/platform/server/server.ts';
import { finalStage, parseDockerfile, textsOf, variablesOf } from '../../tools/dockerfile/dockerfile.ts';
import { readText, root } from '../support/repository.ts';

const image = finalStage(parseDockerfile(readText('Dockerfile')));
const port = variablesOf(image).get('COMPLIANCE_SERVICE_PORT');
const optionVariables = usage.match(/COMPLIANCE_SERVICE_\w+/gu) ?? [];
const files = readdirSync(join(root, 'deploy', 'kubernetes'));

describe.each(files)('the manifest %s', (file) => {
  const objects = parseAll(readText(`deploy/kubernetes/${file}`)).filter(isMapping);
  const ofKind = (...kinds: readonly string[]): Mapping => {
    const found = objects.find((object) => kinds.includes(textAt(object, 'kind') ?? ''));
    if (found === undefined) throw new Error(`${file} has no ${kinds.join(' or ')}`);
    return found;
  };
  const workload = ofKind('StatefulSet', 'Deployment');
  const pod = valueAt(workload, 'spec', 'template', 'spec');
  const [container] = listAt(pod, 'containers');
  const ports = listAt(container, 'ports');
  const own = new Map(listAt(container, 'env').map((one) => [textAt(one, 'name') ?? '', textAt(one, 'value') ?? '']));

  it('runs as a user who is not root, without privileges, on a read-only file system', () => {
    const [user = '', group = ''] = (textsOf(image, 'USER')[0] ?? '').split(':');
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: Number(user),
        runAsGroup: Number(group),
        fsGroup: Number(group),
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    expect(valueAt(container, 'securityContext')).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('sets options of the service, and no secret', () => {
    const settings = valueAt(ofKind('ConfigMap'), 'data');
    const names = [...Object.keys(isMapping(settings) ? settings : {}), ...own.keys()];
    expect([...optionVariables, 'NODE_OPTIONS']).toEqual(expect.arrayContaining(names));
    expect(names.filter((name) => /KEY|PASSWORD|SMTP_URL/u.test(name))).toEqual([]);
    // Kubernetes would set COMPLIANCE_SERVICE_HOST and COMPLIANCE_SERVICE_PORT to its Service of the name.
    expect([textAt(ofKind('Service'), 'metadata', 'name'), valueAt(pod, 'enableServiceLinks')]).toEqual([
      'compliance',
      false,
    ]);
  });

  it('asks the port that the service listens on: /ready for requests, and only the port for a restart', () => {
    expect(own.get('COMPLIANCE_SERVICE_PORT')).toBe(port);
    expect(ports).toEqual([{ name: 'http', containerPort: Number(port) }]);
    expect(listAt(ofKind('Service'), 'spec', 'ports')).toMatchObject([{ targetPort: 'http' }]);
    expect(container).toMatchObject({
      startupProbe: { tcpSocket: { port: 'http' } },
      readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
      livenessProbe: { tcpSocket: { port: 'http' } },
    });
    // It answers within 4 seconds.
    expect(valueAt(container, 'readinessProbe', 'timeoutSeconds')).toBe(5);
    expect(readText('src/service/platform/server/readiness.ts')).toContain("app.get('/ready'");
  });

  it('selects its own pods', () => {
    const labels = valueAt(workload, 'spec', 'template', 'metadata', 'labels');
    expect(valueAt(workload, 'spec', 'selector', 'matchLabels')).toEqual(labels);
    expect(valueAt(ofKind('Service'), 'spec', 'selector')).toEqual(labels);
  });

  it('can write to a folder in its volume, and to /tmp', () => {
    const mounts = new Map(
      listAt(container, 'volumeMounts').map((one) => [textAt(one, 'name'), textAt(one, 'mountPath')]),
    );
    expect(own.get('COMPLIANCE_SERVICE_DATA')).toBe(`${mounts.get('data') ?? ''}/data`);
    expect(mounts.get('data')).toBe(variablesOf(image).get('COMPLIANCE_SERVICE_DATA'));
    expect(mounts.get('tmp')).toBe('/tmp');
    const claims = listAt(workload, 'spec', 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name'));
    const volumes = listAt(pod, 'volumes').map((volume) => textAt(volume, 'name'));
    expect([...claims, ...volumes].sort()).toEqual(['data', 'tmp']);
  });

  it('has memory for its heap', () => {
    const [, heap] = /^--max-old-space-size=(\d+)$/u.exec(own.get('NODE_OPTIONS') ?? '') ?? [];
    expect(Number(heap) + 256).toBeLessThan(1024);
    expect(valueAt(container, 'resources')).toMatchObject({ limits: { memory: '1Gi' } });
  });

  it('has time to answer its requests when it stops', () => {
    const [, pause = 0] = listAt(container, 'lifecycle', 'preStop', 'exec', 'command');
    const grace = Number(valueAt(pod, 'terminationGracePeriodSeconds')) - Number(pause);
    expect(grace * 1000).toBeGreaterThanOrEqual(2 * defaultTimeouts.stop);
  });
});

it('only one process of the service uses a volume, and several a database', () => {
  const [sqlite, postgres] = ['sqlite', 'postgresql'].map((name) => readText(`deploy/kubernetes/${name}.yaml`));
  expect(sqlite).toMatch(/kind: StatefulSet[^]*replicas: 1\n[^]*volumeClaimTemplates:/u);
  expect(sqlite).not.toContain('COMPLIANCE_SERVICE_DATABASE');
  expect(postgres).toMatch(/COMPLIANCE_SERVICE_DATABASE: postgres:[^]*kind: Deployment[^]*replicas: 2\n/u);
});
