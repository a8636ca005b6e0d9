import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { UserError } from '../../runtime/failure.ts';
import { listAt, textAt } from '../../runtime/untrusted-data.ts';
import { inspectPath } from '../files/file-kind.ts';
import { formatBytes } from '../files/format-bytes.ts';
import { readTextFile } from '../files/text-file.ts';

/** The maximum size of an index or a manifest, in bytes: what registries accept (OCI distribution, "Pushing"). */
const maximumBytes = 4 * 1024 * 1024;

/** Where an image's name stands in the index (OCI image specification, "Annotations"). */
const tagAnnotation = 'org.opencontainers.image.ref.name';

/**
 * Finds the digest of an image in a folder with an OCI image layout, as build tools export it: that of the only image in
 * its `index.json`, or of the one with the tag. It is the digest that the image has once it is pushed.
 *
 * @param reference `folder` or `folder:tag`; the folder is relative to the workspace
 * @returns 64 lowercase hex digits
 * @throws UserError if the folder is not a layout, or has no such image or several
 */
export async function resolveLayoutImage(reference: string, workspace: string): Promise<string> {
  const [, folder = reference, tag] = /^(.+):([^:/\\]+)$/su.exec(reference) ?? [];
  const path = resolve(workspace, folder);
  if (textAt(await readJson(path, folder, 'oci-layout'), 'imageLayoutVersion') === undefined) {
    throw createLayoutError(`${folder}/oci-layout has no \`imageLayoutVersion\``);
  }
  const images = listAt(await readJson(path, folder, 'index.json'), 'manifests');
  const chosen = images.filter((image) => tag === undefined || textAt(image, 'annotations', tagAnnotation) === tag);
  const [digest, ...others] = new Set(chosen.map((image) => textAt(image, 'digest') ?? ''));
  if (digest === undefined || others.length > 0) throw createChoiceError(folder, tag, images, others.length);
  const [, digits] = /^sha256:([a-f0-9]{64})$/u.exec(digest) ?? [];
  if (digits === undefined) throw createLayoutError(`${folder}/index.json has an image without a SHA-256`);
  const blob = `blobs/sha256/${digits}`;
  if (hash('sha256', await read(path, folder, blob), 'hex') !== digits) {
    throw createLayoutError(`${folder}/${blob} does not have the content that its name says`);
  }
  return digits;
}

async function readJson(path: string, folder: string, name: string): Promise<unknown> {
  const text = await read(path, folder, name);
  try {
    return JSON.parse(text);
  } catch {
    throw createLayoutError(`${folder}/${name} is not JSON`);
  }
}

async function read(path: string, folder: string, name: string): Promise<string> {
  const file = join(path, name);
  const found = inspectPath(file);
  if (found?.kind !== 'file') throw createLayoutError(`there is no file ${folder}/${name}`);
  if (found.size > maximumBytes) {
    throw createLayoutError(
      `${folder}/${name} has ${formatBytes(found.size)}; the limit is ${formatBytes(maximumBytes)}`,
    );
  }
  return readTextFile(
    { path: file, name: `${folder}/${name}`, size: found.size },
    { purpose: 'an OCI layout', maximumBytes, input: 'image' },
  );
}

function createChoiceError(
  folder: string,
  tag: string | undefined,
  images: readonly unknown[],
  others: number,
): UserError {
  const tags = images.flatMap((image) => textAt(image, 'annotations', tagAnnotation) ?? []);
  const named = tag === undefined ? '' : ` with the tag ${tag}`;
  return new UserError({
    input: 'image',
    what: `${folder}/index.json has ${others === 0 ? 'no image' : `${others + 1} images`}${named}; its tags: ${tags.slice(0, 10).join(', ') || 'none'}`,
    remedy: 'Name one of them: `oci:folder:tag`.',
  });
}

function createLayoutError(what: string): UserError {
  return new UserError({
    input: 'image',
    what,
    remedy:
      'Name a folder with an OCI image layout, such as `docker buildx build --output type=oci,tar=false,dest=FOLDER` writes; an image of a registry that is called `oci` is `docker.io/library/oci`.',
  });
}
