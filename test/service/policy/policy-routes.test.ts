import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  changePolicies,
  policyForm,
  provenancePolicy,
  saveEnvironment,
  savePolicy,
} from '../../support/environment-samples.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';

let service: TestService;
let now = 0;
const openOrganization = shareTestService({ sources: { now: () => now } });
beforeEach(async () => {
  now = 1_700_000_000_500;
  service = await openOrganization();
});

const upload = (form: FormData): Promise<Called> =>
  call(service, { method: 'PUT', path: `/policies/${service.org}`, form });
const faultOf = ({ body }: Called): unknown => (body as { errors: Record<string, unknown> }).errors['policy_file'];

describe('getting a policy', () => {
  it('returns the same as the last upload', async () => {
    await savePolicy(service, 'strict');
    const { body } = await savePolicy(service, 'strict', provenancePolicy, { comment: 'Again' });
    expect(await call(service, { path: `/policies/${service.org}/strict` })).toMatchObject({ status: 200, body });
  });

  it('reports a missing policy', async () => {
    expect(await call(service, { path: `/policies/${service.org}/none` })).toMatchObject({
      status: 404,
      body: { message: `Policy 'none' does not exist in organization '${service.org}'` },
    });
  });
});

describe('operation 6, create or update policy', () => {
  it('returns 201 with the whole policy', async () => {
    expect(await savePolicy(service, 'strict')).toMatchObject({
      status: 201,
      body: {
        name: 'strict',
        description: 'What we hold to',
        archived: false,
        consuming_envs: [],
        created_at: 1_700_000_000,
        created_by: 'admin',
        last_modified_at: 1_700_000_000,
        events: [{ type: 'policy_created', timestamp: 1_700_000_000, user: 'admin', data: { version: 1 } }],
        versions: [
          {
            version: 1,
            comment: 'new',
            created_by: 'admin',
            timestamp: 1_700_000_000,
            policy_yaml: provenancePolicy,
          },
        ],
      },
    });
  });

  it('adds a version and an event', async () => {
    await savePolicy(service, 'strict');
    await saveEnvironment(service, 'prod');
    await changePolicies(service, 'POST', 'prod', ['strict']);
    await changePolicies(service, 'DELETE', 'prod', ['strict']);
    await changePolicies(service, 'POST', 'prod', ['strict']);
    const { status, body } = await upload(
      policyForm({ name: 'strict', comment: 'the same' }, { content: provenancePolicy }),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      description: 'What we hold to',
      consuming_envs: ['prod'],
      versions: [{ version: 1 }, { version: 2, comment: 'the same' }],
      events: [
        { type: 'policy_created', data: { version: 1 } },
        { type: 'policy_attached', data: { version: 1, environment: 'prod' } },
        { type: 'policy_detached', data: { version: 1, environment: 'prod' } },
        { type: 'policy_attached', data: { version: 1, environment: 'prod' } },
        { type: 'policy_updated', data: { version: 2 } },
      ],
    });
  });

  it('changes no other policy', async () => {
    await savePolicy(service, 'strict');
    for (const name of ['prod', 'stage']) {
      await saveEnvironment(service, name);
      await changePolicies(service, 'POST', name, ['strict']);
    }
    const get = (name: string): Promise<Called> => call(service, { path: `/policies/${service.org}/${name}` });
    const { body: before } = await get('strict');
    await savePolicy(service, 'tolerant', `${provenancePolicy}# tolerant`, { description: 'Another' });
    await savePolicy(service, 'tolerant', `${provenancePolicy}# later`);
    await changePolicies(service, 'POST', 'prod', ['tolerant']);
    await changePolicies(service, 'DELETE', 'prod', ['tolerant']);
    expect((await get('strict')).body).toEqual(before);
    expect(await get('tolerant')).toMatchObject({
      body: {
        consuming_envs: [],
        versions: [{ version: 1 }, { version: 2 }],
        events: [
          { type: 'policy_created', data: { version: 1 } },
          { type: 'policy_updated', data: { version: 2 } },
          { type: 'policy_attached', data: { version: 2 } },
          { type: 'policy_detached', data: { version: 2 } },
        ],
      },
    });
    expect(await call(service, { path: `/policies/${service.org}` })).toMatchObject({
      body: [
        { name: 'strict', consuming_envs: ['prod', 'stage'] },
        { name: 'tolerant', consuming_envs: [] },
      ],
    });
  });

  it('answers a repeated upload as it was answered then, whatever happened since', async () => {
    for (const name of ['prod', 'test']) await saveEnvironment(service, name);
    for (const comment of ['first', 'second']) await savePolicy(service, 'other', provenancePolicy, { comment });
    await changePolicies(service, 'POST', 'test', ['other']);
    now += 1000;
    const send = (comment: string): Promise<Called> => {
      const form = policyForm({ name: 'strict', description: comment, comment }, { content: provenancePolicy });
      const headers = { 'idempotency-key': `"${comment}"` };
      return call(service, { method: 'PUT', path: `/policies/${service.org}`, form, headers });
    };
    const first = await send('first');
    await changePolicies(service, 'POST', 'prod', ['strict']);
    const second = await send('second');
    await changePolicies(service, 'DELETE', 'prod', ['strict']);
    await changePolicies(service, 'POST', 'test', ['strict']);
    const third = await send('third');
    expect([first.status, second.status, third.status]).toEqual([201, 200, 200]);
    expect(second.body).toMatchObject({ consuming_envs: ['prod'] });
    for (const [comment, { status, text }] of Object.entries({ first, second, third })) {
      expect(await send(comment)).toMatchObject({ status, text });
    }
  });

  it('numbers versions without gaps or duplicates with concurrent uploads', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => savePolicy(service, 'strict')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    const { body } = await savePolicy(service, 'strict');
    const versions = (body as { versions: { version: number }[] }).versions.map(({ version }) => version);
    expect(versions).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
  });

  it('accepts the file under both of its names, and requires it', async () => {
    for (const part of ['policy_file.0', 'policy_file']) {
      expect(
        (await upload(policyForm({ name: part.replace('.', '-') }, { part, content: provenancePolicy }))).status,
      ).toBe(201);
    }
    expect(faultOf(await upload(policyForm({ name: 'strict' })))).toBe('is missing');
  });

  it('accepts the policy as a text part; the file takes precedence over it', async () => {
    const form = policyForm({ name: 'as-text' });
    form.set('policy_file', provenancePolicy);
    // FormData sends the line breaks of a text as CRLF.
    const yaml = provenancePolicy.replaceAll('\n', '\r\n');
    expect(await upload(form)).toMatchObject({ status: 201, body: { versions: [{ policy_yaml: yaml }] } });
    const both = policyForm({ name: 'twice' }, { content: provenancePolicy });
    both.set('policy_file', `${provenancePolicy}# more`);
    expect(await upload(both)).toMatchObject({ status: 201, body: { versions: [{ policy_yaml: provenancePolicy }] } });
    const empty = policyForm({ name: 'empty' });
    empty.set('policy_file', '');
    expect(faultOf(await upload(empty))).toBe('is missing');
  });

  it('accepts a file of exactly 10 MiB, and no larger one', async () => {
    const padded = (size: number): string => {
      const line = `# ${'x'.repeat(97)}\n`;
      const padding = size - provenancePolicy.length;
      return provenancePolicy + line.repeat(Math.floor(padding / line.length)) + '\n'.repeat(padding % line.length);
    };
    const { status, body } = await upload(policyForm({ name: 'long' }, { content: padded(10_485_760) }));
    expect(status).toBe(201);
    expect((body as { versions: { policy_yaml: string }[] }).versions[0]?.policy_yaml).toHaveLength(10_485_760);
    expect(await upload(policyForm({ name: 'longer' }, { content: padded(10_485_761) }))).toMatchObject({
      status: 413,
      body: { message: 'File size exceeds 10MB limit' },
    });
  });

  it.each([
    ['no YAML', 'a: [', /^line 1: unexpected end/],
    ['nothing', '', /it is empty/],
    ['a list', '- a', /^line 1: it must be object$/],
    ['no schema', 'artifacts: {}', /^line 1: `_schema` is missing$/],
    ['another schema', '_schema: https://example.com/v2', /^line 1: `_schema` must be the address .* \/v1$/],
    ['two documents', '_schema: https://example.com/v1\n---\na: 1', /2 documents/],
    [
      'a rule that is not known',
      `${provenancePolicy}  provenence: {}`,
      /^line 5: `artifacts.provenence` is not a known field$/,
    ],
    ['a key twice', `${provenancePolicy}_schema: 1`, /^line 5: duplicated mapping key$/],
    ['a tag', '_schema: !!js/function x', /unknown .*tag/],
    ['bytes that are not UTF-8', new Uint8Array([95, 0xff, 0xfe]), /^it is not UTF-8$/],
    ['a NUL', '_schema: https://example.com/v1\nartifacts: \0', /^line 2: it has the character U\+0000/],
    ['great depth', '['.repeat(1000), /^line 1: nesting/],
    ['very great depth', '['.repeat(100_000), /^line 1: it has more than 5000 values$/],
    ['too many nodes', 'a:\n' + ' - b\n'.repeat(30_000), /^line 5001: it has more than 5000 values$/],
    ['an alias of itself', '_schema: https://example.com/v1\nartifacts: &a\n  provenance: *a', /^line 3: /],
  ])('rejects %s with the line and the reason', async (_what, content, fault) => {
    const called = await upload(policyForm({ name: 'strict' }, { content }));
    expect(called).toMatchObject({ status: 400, body: { message: 'Input payload validation failed' } });
    expect(faultOf(called)).toMatch(fault);
  });

  it.each([
    [{}, 'name'],
    [{ name: 'a b' }, 'name'],
    [{ name: 'strict', type: 'flow' }, 'type'],
    [{ name: 'strict', color: 'red' }, 'color'],
  ])('rejects the payload %j', async (payload, field) => {
    const { status, body } = await upload(policyForm(payload, { content: provenancePolicy }));
    expect(status).toBe(400);
    expect(Object.keys((body as { errors: object }).errors)).toEqual([field]);
  });

  it('leaves no file behind, accepted or not', async () => {
    await savePolicy(service, 'strict');
    await savePolicy(service, 'strict', 'no policy');
    expect(await service.storage.listAttachments()).toEqual([]);
  });
});
