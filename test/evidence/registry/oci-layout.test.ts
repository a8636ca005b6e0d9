import { describe, expect, it } from '@jest/globals';
import { resolveLayoutImage } from '../../../src/evidence/registry/oci-layout.ts';
import { UserError } from '../../../src/runtime/failure.ts';
import { imageManifest, type StoredManifest } from '../../support/fake-registry.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';

const workspace = workspaceForEachTest();

const version = '{"imageLayoutVersion":"1.0.0"}';

/** Writes a layout with these images by their tags. */
async function layout(images: readonly (readonly [StoredManifest, string?])[]): Promise<void> {
  const manifests = images.map(([{ type: mediaType, text, digest }, tag]) => ({
    ...{ mediaType, digest: `sha256:${digest}`, size: text.length },
    ...(tag === undefined ? {} : { annotations: { 'org.opencontainers.image.ref.name': tag } }),
  }));
  await workspace.write('image/oci-layout', version);
  await workspace.write('image/index.json', JSON.stringify({ schemaVersion: 2, manifests }));
  for (const [{ digest, text }] of images) await workspace.write(`image/blobs/sha256/${digest}`, text);
}

const resolve = (reference: string): Promise<string> => resolveLayoutImage(reference, workspace.path);

describe('an OCI image layout', () => {
  it('has the digest of its only image, whatever its tags', async () => {
    const image = imageManifest();
    await layout([
      [image, '1'],
      [image, 'latest'],
    ]);
    await expect(resolve('image')).resolves.toBe(image.digest);
    await expect(resolve(`${workspace.path}/image:latest`)).resolves.toBe(image.digest);
  });

  it('has several images, of which one has the tag', async () => {
    const [one, other] = [imageManifest('amd64'), imageManifest('arm64')];
    await layout([
      [one, 'one'],
      [other, 'other'],
    ]);
    await expect(resolve('image:other')).resolves.toBe(other.digest);
    await expect(resolve('image')).rejects.toThrow('image/index.json has 2 images; its tags: one, other');
    await expect(resolve('image:2')).rejects.toThrow(
      'image/index.json has no image with the tag 2; its tags: one, other',
    );
  });

  const image = imageManifest();
  const blob = `image/blobs/sha256/${image.digest}`;
  it.each([
    ['no folder', '', '', 'there is no file image/oci-layout'],
    ['no version', 'image/oci-layout', '{}', 'image/oci-layout has no `imageLayoutVersion`'],
    ['no JSON', 'image/index.json', 'x', 'image/index.json is not JSON'],
    ['no image', 'image/index.json', '{}', 'image/index.json has no image; its tags: none'],
    ['another digest', 'image/index.json', '{"manifests":[{"digest":"sha512:00"}]}', 'an image without a SHA-256'],
    [
      'a path as digest',
      'image/index.json',
      '{"manifests":[{"digest":"sha256:../../x"}]}',
      'an image without a SHA-256',
    ],
    ['another content', blob, `${image.text} `, 'does not have the content that its name says'],
    [
      'a large index',
      'image/index.json',
      ' '.repeat(4 * 1024 * 1024 + 1),
      'image/index.json has 4.0 MiB (4,194,305 bytes); the limit is',
    ],
  ])('is refused if it has %s', async (_, path, content, message) => {
    if (path !== '') {
      await layout([[image]]);
      await workspace.write(path, content);
    }
    const resolving = resolve('image');
    await expect(resolving).rejects.toThrow(message);
    await expect(resolving).rejects.toThrow(UserError);
  });
});
