import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../../../../src/runtime/untrusted-data.ts';
import { downloadAttachment, evidence } from '../../../../support/attachments.ts';
import { startTestService, type TestService } from '../../../../support/service.ts';
import { call, type Called } from '../../../../support/service-call.ts';
import { attestationForm, report, sampleAttestation, saveFlow } from '../../../../support/service-samples.ts';

const path = '/attestations/acme/web/trail/main/sonar';

describe('the parts of a multipart request', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService();
    await saveFlow(service);
    await report(service);
  });
  afterEach(async () => {
    expect(service.errors).toEqual([]);
    await service.stop();
  });

  const send = (form: FormData): Promise<Called> => call(service, { method: 'POST', path, form });

  it('accepts a text part with the plain name as the file', async () => {
    const form = attestationForm(sampleAttestation('OK'));
    form.set('attachment_file', 'some text ü');
    expect((await send(form)).status).toBe(201);
    const file = await downloadAttachment(service);
    expect(file.text).toBe('some text ü');
    expect(file.headers.get('content-disposition')).toContain('attachment_file');
  });

  it.each(['', 'a file', 'another text'])(
    'stores the file next to the text part %j, and not the text',
    async (text) => {
      const form = attestationForm(sampleAttestation('OK'), { content: 'a file' });
      form.set('attachment_file', text);
      expect((await send(form)).status).toBe(201);
      expect((await downloadAttachment(service)).text).toBe('a file');
      expect(await service.storage.listAttachments()).toHaveLength(1);
    },
  );

  it('ignores an empty text part', async () => {
    const form = attestationForm(sampleAttestation('OK'));
    form.set('attachment_file', '');
    expect((await send(form)).status).toBe(201);
    expect(await service.storage.listAttachments()).toEqual([]);
    expect((await downloadAttachment(service)).status).toBe(404);
  });

  it.each<[string, (form: FormData) => void, string]>([
    [
      'an unknown part',
      (form) => {
        form.set('other', 'x');
      },
      'other',
    ],
    [
      'two files of one name',
      (form) => {
        form.append('attachment_file.0', new Blob(['b']), 'b');
      },
      'attachment_file.0',
    ],
    [
      'two files',
      (form) => {
        form.append('attachment_file', new Blob(['b']), 'b');
      },
      'attachment_file',
    ],
    [
      'the document twice',
      (form) => {
        form.append('data_json', '{}');
      },
      'data_json',
    ],
    [
      'a file part without a filename',
      (form) => {
        form.delete('attachment_file.0');
        form.set('attachment_file.0', 'x');
      },
      'attachment_file.0',
    ],
    [
      'too many parts',
      (form) => {
        for (const part of ['a', 'b', 'c', 'd']) form.append('attachment_file', part);
      },
      'attachment_file',
    ],
    [
      'a fourth part',
      (form) => {
        form.append('attachment_file', '');
        for (const part of ['a', 'b', 'c']) form.append(part, 'x'.repeat(200_000));
      },
      'a',
    ],
  ])('rejects %s by the name of the part, and leaves neither row nor file', async (_fault, spoil, field) => {
    const form = attestationForm(sampleAttestation('OK'), { content: 'a file' });
    spoil(form);
    const { status, body } = await send(form);
    expect(status).toBe(400);
    expect(Object.keys(valueAt(body, 'errors') ?? {})).toEqual([field]);
    expect(await service.storage.listAttachments()).toEqual([]);
    expect(await evidence(service)).toEqual({});
  });
});
