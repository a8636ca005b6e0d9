import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../../../../../../src/runtime/clock.ts';
import type { EnvironmentVariables } from '../../../../../../src/runtime/dependencies.ts';
import { parseAttachments } from '../../../../../../src/service/commands/parse-attachments.ts';
import { openS3Attachments } from '../../../../../../src/service/platform/attachments/s3/open-s3-attachments.ts';
import { closeAfterEach } from '../../../../../support/close-after-each.ts';
import { startFakeCredentials } from '../../../../../support/fake-credentials.ts';
import { testAttachments } from '../../../../../support/object-storage.ts';
import { keep } from '../../../database/attachments-acceptance.ts';

const log = { info: (): void => undefined, error: (): void => undefined };

describe('a real object storage', () => {
  const opened = closeAfterEach();

  it.each<[string, (url: string, folder: string) => EnvironmentVariables]>([
    ['a container', (url) => ({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/credentials` })],
    [
      'a web identity',
      (url, folder) => ({
        AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/evidence',
        AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
        AWS_ENDPOINT_URL_STS: url,
      }),
    ],
  ])('keeps attachments with the credentials of %s', async (_name, environment) => {
    const source = opened(await startFakeCredentials());
    const folder = await mkdtemp(join(tmpdir(), 'compliance-credentials-'));
    await writeFile(join(folder, 'token'), 'the-web-token');
    const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = process.env;
    // The server has no temporary keys, so it refuses any token.
    source.give({ accessKeyId, secretAccessKey }, new Date(systemClock.now() + 60 * 60_000));
    // The SDK reads them, too.
    const variables = environment(source.url, folder);
    Object.assign(process.env, variables);
    const options = parseAttachments(testAttachments(), variables);
    if (options === undefined) throw new TypeError('there is no object storage');
    const attachments = await openS3Attachments(options, { ...systemClock, randomBytes, log });
    const whole = randomBytes(300_000);
    const record = await keep(attachments, whole);
    expect((await buffer(await attachments.read(record))).equals(whole)).toBe(true);
    expect(source.calls).toHaveLength(1);
    attachments.close();
    await rm(folder, { recursive: true });
  });
});
