import { describe, expect, it } from '@jest/globals';
import { anArtifact } from '../support/artifacts.ts';
import { failureOf } from '../support/failures.ts';
import { imageIndex } from '../support/fake-registry.ts';
import { type PerformedOperation, performOperation, type SeenRequest } from '../support/perform-operation.ts';
import { workspaceForEachTest } from '../support/temporary-workspace.ts';

const { text, digest } = imageIndex();
const name = 'ghcr.io/acme/web:1';
const registry = 'GET https://ghcr.io/v2/acme/web/manifests/1';

const workspace = workspaceForEachTest();

function perform(operation: string, inputs: Readonly<Record<string, string>>): Promise<PerformedOperation> {
  return performOperation(
    operation,
    inputs,
    ({ method, path }) => {
      if (path.startsWith('https://')) return { status: 200, body: JSON.parse(text) as unknown };
      if (method === 'POST') return { status: 201, body: { message: 'OK' } };
      const assertion = {
        compliant: true,
        scope: 'flow',
        flows: [{ flow: 'web' }],
        html_url: 'https://compliance.example.com',
      };
      return { status: 200, body: path.startsWith('/asserts/') ? assertion : anArtifact({ fingerprint: digest }) };
    },
    workspace.path,
  );
}

/** The fingerprint in the last request: in its address, or in its document. */
function sentFingerprint(requests: readonly SeenRequest[]): string | undefined {
  return /[a-f0-9]{64}/u.exec(`${requests.at(-1)?.path ?? ''} ${requests.at(-1)?.body ?? ''}`)?.[0];
}

describe('an image', () => {
  it.each([
    ['get-artifact', { flow: 'web' }],
    ['assert-artifact', {}],
    ['attest-artifact', { flow: 'web' }],
  ])('is resolved by its tag before %s calls the service', async (operation, inputs) => {
    const { requests, sent, result } = await perform(operation, { ...inputs, image: name });
    expect(sent[0]).toBe(registry);
    expect(sent.slice(1).join()).toMatch(/^(?:GET|POST) \/(?:artifacts|asserts)\/acme/u);
    expect(sentFingerprint(requests)).toBe(digest);
    expect(result).toMatchObject({ fingerprint: digest, conclusion: expect.stringContaining(name) });
  });

  it('is what an attestation is about', async () => {
    const about = { flow: 'web', 'attestation-name': 'review', compliant: 'true' };
    const { requests } = await perform('attest-generic', { ...about, image: name });
    const sent = requests.find(({ method }) => method === 'POST');
    expect(requests[0]?.path).toBe('https://ghcr.io/v2/acme/web/manifests/1');
    expect(sent?.body).toContain(`"artifact_fingerprint":"${digest}"`);
    const twice = await failureOf(perform('attest-generic', { ...about, image: name, fingerprint: digest }));
    expect(twice.message).toContain('`image` and `fingerprint` exclude each other');
  });

  it('with a digest is not looked up', async () => {
    const { requests, sent } = await perform('get-artifact', { flow: 'web', image: `${name}@sha256:${digest}` });
    expect(sent).toHaveLength(1);
    expect(sentFingerprint(requests)).toBe(digest);
  });

  it('is found in a folder with an OCI image layout', async () => {
    await workspace.write('build/image/oci-layout', '{"imageLayoutVersion":"1.0.0"}');
    await workspace.write('build/image/index.json', JSON.stringify({ manifests: [{ digest: `sha256:${digest}` }] }));
    await workspace.write(`build/image/blobs/sha256/${digest}`, text);
    const { requests, sent } = await perform('attest-artifact', { flow: 'web', image: 'oci:build/image' });
    expect(sent).toHaveLength(1);
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ fingerprint: digest, filename: 'oci:build/image' });
  });
});
