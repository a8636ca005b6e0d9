import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maximumDocumentBytes, maximumEvidenceNames, maximumFileBytes } from '../../../src/contract/limits.ts';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { downloadAttachment, evidence } from '../../support/attachments.ts';
import { rawErrorOf, rawExchange, rawRequest } from '../../support/raw-exchange.ts';
import { shareTestService, startTestService, stopWithoutErrors, type TestService } from '../../support/service.ts';
import { accepted, call, type Called } from '../../support/service-call.ts';
import {
  attest,
  attestationForm,
  fingerprintOf,
  report,
  sampleAttestation,
  saveFlow,
  stateOf,
} from '../../support/service-samples.ts';
import { createTestStorage } from '../../support/test-storage.ts';

const pathOf = ({ org }: TestService, flow = 'web'): string => `/attestations/${org}/${flow}/trail/main/sonar`;

describe('operation 7, attest Sonar scan', () => {
  let service: TestService;
  let earlier: readonly string[];
  const openOrganization = shareTestService();
  beforeEach(async () => {
    service = await openOrganization();
    await saveFlow(service);
    await report(service);
    earlier = await service.storage.listAttachments();
  });

  const newAttachments = async (): Promise<readonly string[]> =>
    (await service.storage.listAttachments()).filter((digest) => !earlier.includes(digest));
  const send = (form: FormData, flow?: string): Promise<Called> =>
    call(service, { method: 'POST', path: pathOf(service, flow), form });

  it('records it, and the artifact of the trail has it as evidence', async () => {
    expect(await attest(service, sampleAttestation('OK'))).toMatchObject({ status: 201, body: 'OK' });
    expect(await evidence(service)).toMatchObject({
      sonar: { attestation_name: 'sonar', attestation_type: 'sonar', is_compliant: true, reported_by: 'admin' },
    });
  });

  it('is superseded by a later one for one of its artifacts, which the answer to a repetition says', async () => {
    const isSuperseded = async (targets: string[], key: string, flow = 'web'): Promise<boolean> => {
      const form = attestationForm(sampleAttestation('OK', { target_artifacts: targets }));
      const headers = { 'idempotency-key': `"${key}"` };
      const answer = await call(service, { method: 'POST', path: pathOf(service, flow), form, headers });
      return answer.headers.get('idempotent-superseded') === 'true';
    };
    await isSuperseded(['web', 'api'], 'both');
    await saveFlow(service, { name: 'other' });
    for (const key of ['other-1', 'other-2']) await isSuperseded(['web', 'api'], key, 'other');
    const another = sampleAttestation('OK', { attestation_name: 'another', target_artifacts: ['web', 'api'] });
    await accepted(send(attestationForm(another)));
    await accepted(attest(service, sampleAttestation('OK', { target_artifacts: ['web', 'api'] }), 'elsewhere'));
    expect(await isSuperseded(['web', 'api'], 'both')).toBe(false);
    await isSuperseded(['api'], 'one');
    expect(await isSuperseded(['web', 'api'], 'both')).toBe(true);
  });

  it('is refused with its file if its name is new and the trail has the maximum of names', async () => {
    await attest(service, sampleAttestation('OK'));
    const fillTrail = (flow: string): Promise<unknown> =>
      service.storage.query(`INSERT INTO current_evidence (org, flow, scope, name, sequence)
        WITH RECURSIVE names (number) AS (SELECT 2 UNION ALL SELECT number + 1 FROM names WHERE number < ${maximumEvidenceNames})
        SELECT '${service.org}', '${flow}', 'trail/main', 'name-' || number, 1 FROM names`);
    await saveFlow(service, { name: 'other' });
    await accepted(send(attestationForm(sampleAttestation('OK')), 'other'));
    await fillTrail('other');
    expect((await attest(service, sampleAttestation('OK', { attestation_name: 'second' }))).status).toBe(201);
    await fillTrail('web');
    const another = sampleAttestation('OK', { attestation_name: 'another' });
    expect(await send(attestationForm(another, { content: 'a file' }))).toMatchObject({
      status: 400,
      body: { errors: { attestation_name: expect.stringContaining('has the maximum of 1000 names') } },
    });
    expect(await newAttachments()).toEqual([]);
    expect((await attest(service, sampleAttestation('OK'))).status).toBe(201);
  });

  it('is accepted without a revision, and with a note that says so', async () => {
    const document = sampleAttestation('OK', {
      user_data: { revision_verified: false, revision_unverified_reason: 'r' },
    });
    expect(document.sonar_results).not.toHaveProperty('revision');
    expect(await attest(service, document)).toMatchObject({ status: 201 });
    const listed = await call(service, { path: `/attestations/${service.org}/web` });
    expect(valueAt(listed.body, 'data')).toEqual([expect.objectContaining({ user_data: document.user_data })]);
  });

  it.each([
    ['OK', 'COMPLIANT', true],
    ['ERROR', 'NON-COMPLIANT', false],
    ['WARN', 'INCOMPLETE', false],
    ['NONE', 'INCOMPLETE', false],
    ['SOMETHING', 'INCOMPLETE', false],
  ])('makes, of the gate status %s, an artifact %s', async (status, state, compliant) => {
    await attest(service, sampleAttestation(status));
    expect(await stateOf(service)).toBe(state);
    expect(valueAt(await evidence(service), 'sonar', 'is_compliant')).toBe(compliant);
  });

  it('is append-only: the latest of a name counts', async () => {
    for (const status of ['ERROR', 'OK', 'ERROR', 'OK']) await attest(service, sampleAttestation(status));
    expect(await stateOf(service)).toBe('COMPLIANT');
    await attest(service, sampleAttestation('ERROR'));
    expect(await stateOf(service)).toBe('NON-COMPLIANT');
  });

  it('counts for the artifact that it names', async () => {
    const one = fingerprintOf('aaaaa');
    const other = fingerprintOf('bbbbb');
    await report(service, { fingerprint: one, template_reference_name: 'one', trail_name: 'both' });
    await report(service, { fingerprint: other, template_reference_name: 'other', trail_name: 'both' });
    await attest(service, sampleAttestation('ERROR', { attestation_name: 'one.sonar' }), 'both');
    await attest(service, sampleAttestation('OK', { target_artifacts: ['other'] }), 'both');
    expect([await stateOf(service, one), await stateOf(service, other)]).toEqual(['NON-COMPLIANT', 'COMPLIANT']);
    await attest(service, sampleAttestation('ERROR', { artifact_fingerprint: other }), 'both');
    expect(await stateOf(service, other)).toBe('NON-COMPLIANT');
  });

  it.each(['attachment_file.0', 'attachment_file'])('takes a file as %s and gives it back', async (part) => {
    const content = randomBytes(100_000);
    const form = attestationForm(sampleAttestation('OK'), { part, name: "ergebnis ü'(1)*.xml", content });
    expect((await send(form)).status).toBe(201);
    expect(await newAttachments()).toEqual([createHash('sha256').update(content).digest('hex')]);
    const file = await downloadAttachment(service);
    expect(file.status).toBe(200);
    expect(file.headers.get('content-length')).toBe('100000');
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect(file.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''ergebnis%20%C3%BC%27%281%29%2a.xml",
    );
  });

  it('offers a file under a name that cannot look like another one', async () => {
    await send(attestationForm(sampleAttestation('OK'), { name: 'report\u202Efdp.exe', content: 'x' }));
    const file = await downloadAttachment(service);
    expect(file.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''report%EF%BF%BDfdp.exe");
  });

  it('returns a file byte for byte', async () => {
    await send(attestationForm(sampleAttestation('OK'), { content: 'line one\nline two\n\u{1f600}' }));
    expect((await downloadAttachment(service)).text).toBe('line one\nline two\n\u{1f600}');
  });

  it('accepts the parts in any order, and an empty file', async () => {
    const form = new FormData();
    form.set('attachment_file.0', new Blob([]), 'empty');
    form.set('data_json', JSON.stringify(sampleAttestation('OK')));
    expect((await send(form)).status).toBe(201);
    expect(await newAttachments()).toEqual([createHash('sha256').digest('hex')]);
  });

  it('accepts a file of exactly the limit', async () => {
    const form = attestationForm(sampleAttestation('OK'), { content: new Uint8Array(maximumFileBytes) });
    expect((await send(form)).status).toBe(201);
    expect((await downloadAttachment(service)).headers.get('content-length')).toBe(String(maximumFileBytes));
  });

  it('rejects a file of one byte more, and leaves neither record nor file', async () => {
    const form = attestationForm(sampleAttestation('OK'), { content: new Uint8Array(maximumFileBytes + 1) });
    expect(await send(form)).toMatchObject({ status: 413, body: { message: 'File size exceeds 10MB limit' } });
    expect(await newAttachments()).toEqual([]);
    expect(await evidence(service)).toEqual({});
  });

  it('accepts a document of exactly its limit and rejects one byte more', async () => {
    const padded = (bytes: number): string => {
      const document = JSON.stringify(sampleAttestation('OK', { user_data: { text: '' } }));
      return document.replace('"text":""', `"text":"${'x'.repeat(bytes - document.length)}"`);
    };
    expect((await attest(service, padded(maximumDocumentBytes))).status).toBe(201);
    expect(await attest(service, padded(maximumDocumentBytes + 1))).toMatchObject({
      status: 413,
      body: { errors: { data_json: `must not have more than ${maximumDocumentBytes} bytes` } },
    });
  });

  it('reports a missing flow, and stores nothing', async () => {
    const form = attestationForm(sampleAttestation('OK'), { content: 'a file' });
    expect(await send(form, 'api')).toMatchObject({
      status: 404,
      body: { message: 'Flow not found' },
    });
    expect(await newAttachments()).toEqual([]);
  });

  const valid = JSON.stringify(sampleAttestation('OK'));
  it.each<[string, readonly string[], string]>([
    ['no document', [], 'data_json'],
    ['an empty document', [''], 'data_json'],
    ['two documents', [valid, '{}'], 'data_json'],
    ['a document that is not JSON', ['{'], 'data_json'],
    ['a document that is not an object', ['[]'], 'data_json'],
    ['an unknown field', [JSON.stringify({ ...sampleAttestation('OK'), extra: 1 })], 'extra'],
    ['a field named __proto__', [`{"__proto__":{},${valid.slice(1)}`], '__proto__'],
    ['no gate', ['{"attestation_name":"a","sonar_results":{"project":{"key":"k"}}}'], 'sonar_results.qualityGate'],
    ['an invalid name', [JSON.stringify(sampleAttestation('OK', { attestation_name: 'a b' }))], 'attestation_name'],
  ])('rejects %s, and leaves neither row nor file', async (_fault, documents, field) => {
    const form = attestationForm(sampleAttestation('OK'), { content: 'a file' });
    form.delete('data_json');
    for (const document of documents) form.append('data_json', document);
    const { status, body } = await send(form);
    expect(status).toBe(400);
    expect(Object.keys(valueAt(body, 'errors') ?? {})).toContain(field);
    expect(await newAttachments()).toEqual([]);
    expect(await evidence(service)).toEqual({});
  });

  it.each([
    ['JSON', 'application/json', '{}', 415],
    ['a form', 'application/x-www-form-urlencoded', 'data_json=x', 415],
    ['no boundary', 'multipart/form-data', 'x', 400],
    ['a body without its boundary', 'multipart/form-data; boundary=b', 'nothing of the kind', 400],
    ['an empty body', 'multipart/form-data; boundary=b', '', 400],
    ['parts without a name', 'multipart/form-data; boundary=b', '--b\r\n\r\nx\r\n--b--\r\n', 400],
    ['no content type', '', 'x', 415],
  ])('rejects %s', async (_fault, contentType, body, status) => {
    const path = pathOf(service);
    const called = await call(service, { method: 'POST', path, body, headers: { 'content-type': contentType } });
    expect(called.status).toBe(status);
  });

  it('leaves neither record nor file of an aborted request', async () => {
    const storage = await createTestStorage();
    const own = await startTestService({ storage });
    await saveFlow(own);
    const body = [
      '--b',
      'content-disposition: form-data; name="data_json"',
      '',
      JSON.stringify(sampleAttestation('OK')),
      '--b',
      'content-disposition: form-data; name="attachment_file.0"; filename="a.xml"',
      '',
      'the beginning of a file',
    ].join('\r\n');
    const headers = { authorization: `Bearer ${own.apiKey}`, 'content-type': 'multipart/form-data; boundary=b' };
    const line = `POST ${new URL(own.baseUrl).pathname}${pathOf(own)}`;
    // Whole by its length and without its last boundary.
    const whole = await rawExchange(own.url, rawRequest(line, headers, body));
    expect(whole.status).toBe(400);
    expect(rawErrorOf(whole).errors?.['body']).toContain('is not complete multipart/form-data');
    // Cut off by the sender, before its length is reached.
    await rawExchange(own.url, rawRequest(line, { ...headers, 'content-length': '100000' }, body), { end: true });
    // The service hears of the end of the connection a moment after the sender; what it does then is done before it
    // stops.
    await own.stop();
    const again = await startTestService({ storage });
    expect(await storage.listAttachments()).toEqual([]);
    await again.stop();
    await storage.remove();
  });

  it('responds while the rest of a file that is too large is still being sent', async () => {
    const form = attestationForm(sampleAttestation('OK'), { content: new Uint8Array(3 * maximumFileBytes) });
    expect((await send(form)).status).toBe(413);
    expect((await attest(service, sampleAttestation('OK'))).status).toBe(201);
  });

  it('stores a file once if many concurrent attestations have it', async () => {
    const sent = Array.from({ length: 10 }, () => attestationForm(sampleAttestation('OK'), { content: 'the same' }));
    const answers = await Promise.all(sent.map((form) => send(form)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(201));
    expect(await newAttachments()).toHaveLength(1);
  });
});

describe('any multipart request', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
    await saveFlow(service);
  });
  afterAll(() => stopWithoutErrors(service));

  it('gets a response, never a server error, for any bytes', async () => {
    const piece = fc.constantFrom(
      ...[
        '--b\r\n',
        '--b--\r\n',
        '\r\n',
        '\r\n\r\n',
        'content-disposition: form-data; name="data_json"\r\n',
        '{}',
        '\0',
      ],
      ...[
        'content-disposition: form-data; name="attachment_file.0"; filename="a"\r\n',
        '--b',
        'content-type: text/plain',
      ],
      ...['content-disposition: form-data; name="x"; filename=""\r\n', JSON.stringify(sampleAttestation('OK')), '--'],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const headers = { 'content-type': 'multipart/form-data; boundary=b' };
        const { status } = await call(service, {
          method: 'POST',
          path: pathOf(service),
          body: pieces.join(''),
          headers,
        });
        expect([201, 400]).toContain(status);
      }),
      { numRuns: 200 },
    );
  });
});
