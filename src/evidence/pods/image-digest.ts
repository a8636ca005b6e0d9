/**
 * The SHA-256 of an image as a container runtime names it in a pod's status, `imageID`: `docker-pullable://repo@sha256:…`,
 * `repo@sha256:…`, or `sha256:…` alone; 64 lowercase hex digits. Undefined if there is none, as for an image that is
 * still being pulled, or where another algorithm was used.
 */
export function imageDigest(imageId: string): string | undefined {
  return /(?:^|[@/])sha256:([a-f0-9]{64})$/u.exec(imageId)?.[1];
}
