import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attachmentFile, checksumFile, manifestFile, type SpoolEntry } from '../../src/evidence/spool/spool-item.ts';
import { startOfTime } from './clock.ts';
import { shas } from './events.ts';

/** When the entry of the samples was gathered. */
export const gatheredAt = new Date(startOfTime - 3_600_000).toISOString();

/** What a step kept. */
export const sampleEntry = {
  operation: 'attest-sonar',
  parameters: { flow_name: 'web', trail_name: shas.head },
  document: {
    attestation_name: 'sonar',
    git_commit_info: { sha1: shas.head },
    sonar_results: { project: { key: 'web' }, qualityGate: { status: 'OK', conditions: [] } },
    user_data: { gathered_at: gatheredAt, github: { repository: 'acme/widgets', run_id: '4242', event_name: 'push' } },
    repo_info: { name: 'acme/widgets', url: 'https://github.com/acme/widgets', provider: 'github' },
    origin_url: 'https://github.com/acme/widgets/actions/runs/4242/attempts/2',
  },
  idempotency_key: '4242-0123',
  gathered_at: gatheredAt,
  run: { repository: 'acme/widgets', run_id: '4242', run_attempt: '2', event_name: 'push', head_sha: shas.head },
} as const satisfies SpoolEntry;

/** The attachment of a forged item. */
export const sampleAttachment = Buffer.from('TN:\nend_of_record\n');

/** The manifest of an item with `sampleAttachment`. */
export const sampleManifest: Readonly<Record<string, unknown>> = {
  version: 1,
  ...sampleEntry,
  file: {
    name: 'lcov.info',
    size: sampleAttachment.length,
    sha256: createHash('sha256').update(sampleAttachment).digest('hex'),
  },
};

/** Writes a forged item with a valid checksum. */
export async function forgeItem(path: string, manifest: unknown, attachment?: Uint8Array): Promise<void> {
  const content = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  const sum = createHash('sha256').update(content).digest('hex');
  await mkdir(path, { recursive: true });
  await writeFile(join(path, manifestFile), content);
  await writeFile(join(path, checksumFile), `${sum}  ${manifestFile}\n`);
  if (attachment !== undefined) await writeFile(join(path, attachmentFile), attachment);
}
