import { valueAt } from '../../src/runtime/untrusted-data.ts';
import type { TestService } from './service.ts';
import { call, type Called } from './service-call.ts';
import { fingerprintOf } from './service-samples.ts';

/** The evidence of the sample artifact. */
export async function evidence(service: TestService): Promise<unknown> {
  const { body } = await call(service, {
    path: `/artifacts/${service.org}/web/fingerprint/${fingerprintOf('abcdef')}`,
  });
  return valueAt(body, 'evidence');
}

/** Downloads the file of the attestation `sonar`, by the link of its page. */
export async function downloadAttachment(service: TestService): Promise<Called> {
  const page = String(valueAt(await evidence(service), 'sonar', 'html_url'));
  return call(service, { at: page, path: '/attachment' });
}
