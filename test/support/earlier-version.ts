import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from '@jest/globals';
import { listAt, textAt } from '../../src/runtime/untrusted-data.ts';
import type { ServiceOptions } from '../../src/service/service.ts';
import { startLocalService } from '../../tools/local-service.ts';
import { attestationForm } from './service-samples.ts';

// A data folder and a PostgreSQL database that the service of commit 929d16c5 wrote from `tools/browser/sample-data.ts`,
// and the verdicts that it gave in both.

const fixtures = join(import.meta.dirname, '../service/platform/database/fixtures');
const key = `fixture0key_${'A'.repeat(43)}`;
/** The time of the latest record, in Unix milliseconds. */
const now = 1_790_000_000_000;
/** The only attachment, which all JUnit reports have. */
export const earlierAttachment = '<testsuites/>';

export function readFixture(name: 'compliance.sqlite' | 'database.sql' | 'verdicts.json'): Buffer {
  return gunzipSync(readFileSync(join(fixtures, `${name}.gz`)));
}

/** Sends evidence if there is a form. */
type Send = (path: string, form?: FormData) => Promise<Response>;
type EarlierStorage = Pick<ServiceOptions, 'dataFolder' | 'database'>;

async function withService(storage: EarlierStorage, work: (send: Send) => Promise<void>): Promise<void> {
  const service = await startLocalService(storage, { now: () => now });
  const headers = { authorization: `Bearer ${key}` };
  try {
    await work((path, form) =>
      fetch(new URL(path, `${service.baseUrl}/`), {
        ...{ headers, method: form === undefined ? 'GET' : 'POST' },
        ...(form === undefined ? {} : { body: form }),
      }),
    );
    expect(service.errors).toEqual([]);
  } finally {
    await service.stop();
  }
}

/**
 * Starts a service with this data, and expects that it judges as the earlier one did. One of its answers is corrected: it
 * called the artifact of build-123 compliant in its trail, although evidence of the trail had failed.
 */
export function expectSameVerdicts(storage: EarlierStorage): Promise<void> {
  return withService(storage, async (send) => {
    const expected = JSON.parse(readFixture('verdicts.json').toString()) as Readonly<Record<string, object>>;
    const paths = Object.keys(expected);
    const found = paths.map(async (path): Promise<unknown> => (await send(`.${path}`)).json());
    const answers = await Promise.all(found);
    expect(Object.fromEntries(paths.map((path, index) => [path, answers[index]]))).toMatchObject(expected);
  });
}

const trail = 'acme/web/trail/build-126';

/** Starts a service with this data, and expects that it has the attachments, and can record more. */
export function expectMoreEvidence(storage: EarlierStorage): Promise<void> {
  return withService(storage, async (send) => {
    const [latest] = listAt({ reports: await (await send(`attestations/${trail}/web.unit-tests`)).json() }, 'reports');
    const attachment = await send(`${textAt(latest, 'html_url') ?? ''}/attachment`);
    expect(await attachment.text()).toBe(earlierAttachment);
    const junit_results = [{ name: 'shop', total: 1, failures: 0, errors: 0, skipped: 0, duration: 1 }];
    const document = { attestation_name: 'web.unit-tests', junit_results };
    expect((await send(`attestations/${trail}/junit`, attestationForm(document))).status).toBe(201);
    const web = { attestations_statuses: [{ is_compliant: true }, { is_compliant: false }] };
    expect(await (await send('trails/acme/web/build-126')).json()).toMatchObject({
      compliance_status: { status: 'NON-COMPLIANT', artifacts_statuses: { web } },
    });
  });
}
