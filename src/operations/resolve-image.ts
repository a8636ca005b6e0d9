import type { ImageReference } from './inputs/artifact-inputs.ts';
import { minimumSecretLength } from './inputs/input-types.ts';
import type { OperationContext } from './operation.ts';

/**
 * The digest of an image as a fingerprint. If it is not part of its name, the registry is asked, or the folder read.
 *
 * @throws Failure if there is no such image
 */
export async function resolveImageFingerprint(
  { name, fingerprint }: ImageReference,
  { call, environment, workspace, addSecret }: OperationContext,
): Promise<string> {
  if (fingerprint !== undefined) return fingerprint;
  return call.log.group('Resolve the image', async () => {
    const { resolveImage } = await import('../evidence/registry/resolve-image.ts');
    const digest = await resolveImage(name, {
      call,
      environment,
      workspace,
      addSecret(secret) {
        // A shorter one would make every word that contains it unreadable. None of them is ever printed.
        if (secret.length >= minimumSecretLength) addSecret(secret);
      },
    });
    call.log.info(`${name}: ${digest}`);
    return digest;
  });
}
