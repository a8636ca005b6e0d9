/**
 * Finds the SHA-256 of an image in the `imageID` of a pod's status: `docker-pullable://repo@sha256:…`, `repo@sha256:…`,
 * or `sha256:…` alone. Returns 64 lowercase hex digits; undefined if there is none, for example because the image is
 * still being pulled or the digest uses another algorithm.
 */
export function imageDigest(imageId: string): string | undefined {
  return /(?:^|[@/])sha256:([a-f0-9]{64})$/u.exec(imageId)?.[1];
}
