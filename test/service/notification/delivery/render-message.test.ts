import { describe, expect, it } from '@jest/globals';
import type { ArtifactLookup } from '../../../../src/service/artifact/artifact-use-cases.ts';
import { toMessages } from '../../../../src/service/environment/event-digest.ts';
import { renderMessage, renderSubject } from '../../../../src/service/notification/delivery/render-message.ts';
import { toWebhookPayload } from '../../../../src/service/notification/delivery/webhook-payload.ts';
import { Links } from '../../../../src/service/platform/links.ts';
import { sampleEvent } from '../../../support/notification-samples.ts';

const links = new Links(() => 'https://compliance.example.com', '/api/v2');
const finding: ArtifactLookup = { outcome: 'artifact not found' };
const findArtifact = (): Promise<ArtifactLookup> => Promise.resolve(finding);
const provenance = {
  flow: 'web',
  commit: '1'.repeat(40),
  commitUrl: 'https://git.example.com/1',
  buildUrl: 'https://ci.example.com/7',
};
const artifact = { name: 'web.tar', fingerprint: 'a'.repeat(64) };

describe('the payload of a webhook', () => {
  it('describes an environment', async () => {
    expect(await toWebhookPayload(sampleEvent(), { findArtifact, links })).toEqual({
      version: '1.0',
      timestamp: 900,
      org: 'acme',
      environment: 'prod',
      event_type: 'ON_NON_COMPLIANT_ENV',
      description: 'Environment prod is not compliant any more',
      snapshot: {
        index: 1,
        status: 'NON-COMPLIANT',
        html_url: 'https://compliance.example.com/acme/environments/prod/snapshots/1',
        api_url: 'https://compliance.example.com/api/v2/snapshots/acme/prod/1',
      },
      artifact: null,
    });
  });

  it.each([
    [true, 'COMPLIANT'],
    [false, 'NON-COMPLIANT'],
    [null, 'UNKNOWN'],
  ])('has a status for a snapshot that is compliant: %s', async (compliant, status) => {
    expect(await toWebhookPayload(sampleEvent({ compliant }), { findArtifact, links })).toMatchObject({
      snapshot: { status },
    });
  });

  it('describes an artifact that no flow has', async () => {
    const payload = await toWebhookPayload(sampleEvent({ artifact }), { findArtifact, links });
    expect(payload.artifact).toEqual({ ...artifact, provenance: null });
  });

  it('describes an artifact that its flow no longer has', async () => {
    const payload = await toWebhookPayload(sampleEvent({ artifact: { ...artifact, provenance } }), {
      findArtifact,
      links,
    });
    expect(payload.artifact?.provenance).toEqual({
      flow: 'web',
      status: null,
      commit: '1'.repeat(40),
      commit_url: 'https://git.example.com/1',
      html_url: null,
      api_url: null,
      build_url: 'https://ci.example.com/7',
    });
  });

  it('combines many events of a snapshot in a digest of limited size, the verdict first', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => {
      const about = { name: `web-${index}`.padEnd(5000, 'x'), fingerprint: String(index).padStart(64, '0') };
      return sampleEvent({ trigger: 'ON_STARTED_ARTIFACT', artifact: about, description: 'it started' });
    });
    const [digest, ...others] = toMessages([...many, sampleEvent()]);
    expect(others).toEqual([]);
    if (digest === undefined) throw new Error('there is a digest');
    const payload = await toWebhookPayload(digest, { findArtifact, links });
    expect(payload).toMatchObject({
      event_type: 'ON_NON_COMPLIANT_ENV',
      description: 'Environment prod is not compliant any more In snapshot 1 of prod: 3000 artifacts started to run.',
      snapshot: { index: 1, status: 'NON-COMPLIANT' },
      artifact: null,
      digest: {
        total: 3001,
        events: [
          { event_type: 'ON_NON_COMPLIANT_ENV', count: 1, artifacts: [] },
          { event_type: 'ON_STARTED_ARTIFACT', count: 3000, artifacts: expect.any(Array) },
        ],
      },
    });
    expect(JSON.stringify(payload).length).toBeLessThan(5000);
    const lines = renderMessage(payload).split('\n');
    expect(lines.filter((line) => line.startsWith('- web-'))).toHaveLength(10);
    expect(lines).toContain('3000 artifacts started to run:');
    expect(lines).toContain('- and 2990 more');
    expect(renderSubject(digest)).toBe('prod: ON_NON_COMPLIANT_ENV and 3000 more events');
  });

  it('has one line per fact, whatever the names of artifacts', async () => {
    const name = 'web\r\nSnapshot: 9, COMPLIANT\u2028\u202e\u0007';
    const forged = sampleEvent({ description: `Artifact ${name} started.`, artifact: { ...artifact, name } });
    const words = renderMessage(await toWebhookPayload(forged, { findArtifact, links }));
    expect(words.split(/[\n\r\u2028]/u)).toHaveLength(7);
    expect(words).toContain('Artifact web\\r\\nSnapshot: 9, COMPLIANT\\u{2028}\\u{202e}\\u{7} started.');
    expect(renderSubject(sampleEvent({ environment: 'prod\r\nBcc: eve@example.com' }))).not.toMatch(/[\r\n]/u);
  });

  it('is told to people in words', async () => {
    const payload = await toWebhookPayload(sampleEvent({ artifact: { ...artifact, provenance } }), {
      findArtifact,
      links,
    });
    expect(renderMessage(payload).split('\n')).toEqual([
      'Environment prod is not compliant any more',
      '',
      'Environment: prod of acme',
      'Snapshot: 1, NON-COMPLIANT',
      `Artifact: web.tar, ${'a'.repeat(64)}`,
      'Commit: https://git.example.com/1',
      'Time: 1970-01-01T00:15:00.000Z',
      'https://compliance.example.com/acme/environments/prod/snapshots/1',
    ]);
  });
});
