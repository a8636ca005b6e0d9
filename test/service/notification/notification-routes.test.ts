import { beforeEach, describe, expect, it } from '@jest/globals';
import { triggers } from '../../../src/contract/notification.ts';
import { valueAt } from '../../../src/runtime/untrusted-data.ts';
import { administer, createNotification } from '../../support/administration.ts';
import { shareTestService, type TestService } from '../../support/service.ts';
import { call, type Called } from '../../support/service-call.ts';

const secretAddress = 'https://hooks.example.com/services/secret?token=secret#secret';

describe('a notification', () => {
  let service: TestService;
  const openOrganization = shareTestService({
    options: { mail: { url: 'smtp://127.0.0.1:1', from: 'compliance@example.com' } },
    sources: { now: () => 1_767_323_045_250 },
  });
  beforeEach(async () => {
    service = await openOrganization();
  });

  const get = (number: string | number, key?: string): Promise<Called> =>
    call(service, {
      path: `/organizations/${service.org}/environments_notifications/${number}`,
      ...(key === undefined ? {} : { key }),
    });

  it('is returned as it was created, without the secrets of its targets', async () => {
    const targets = [
      { type: 'WEBHOOK', webhook: secretAddress, payload_version: '1.0' },
      { type: 'SLACK', webhook: 'http://slack.example.com:8080/services/secret' },
      { type: 'EMAIL', recipients: ['ann@example.com', 'bob+ci@example.com'] },
    ];
    const created = await createNotification(service, { environments: ['prod', 'stage', 'prod'], triggers, targets });
    const expected = {
      number: 1,
      name: 'To the team',
      type: 'env',
      environments: ['prod', 'stage'],
      triggers: [...triggers],
      targets: [
        { type: 'WEBHOOK', webhook: 'https://hooks.example.com/…', payload_version: '1.0' },
        { type: 'SLACK', webhook: 'http://slack.example.com:8080/…' },
        { type: 'EMAIL', recipients: ['ann@example.com', 'bob+ci@example.com'] },
      ],
      created_at: 1_767_323_045,
      last_modified_at: 1_767_323_045,
      created_by: 'admin',
      is_created_from_slack_app: false,
      is_failing: false,
    };
    const secret = { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/u) };
    const [webhook, ...others] = expected.targets;
    const answered = { ...expected, targets: [{ ...webhook, ...secret }, ...others] };
    expect([created.status, created.body]).toEqual([201, answered]);
    expect((await get(1)).body).toEqual(expected);
  });

  it.each([1, 999_999_999])('of the number %d is not found if it does not exist', async (number) => {
    expect(await get(number)).toMatchObject({ status: 404, body: { message: 'Action not found' } });
  });

  it.each(['0', '-1', 'x', '1e3', '1234567890', '%00'])('has no number such as %s', async (number) => {
    const { status, body } = await get(number);
    expect([status, body]).toMatchObject([
      400,
      { message: 'Input payload validation failed', errors: { 'path.notification_number': expect.any(String) } },
    ]);
  });

  it('is not visible in another organization', async () => {
    const foreignKey = await service.createOrganization('other');
    await createNotification(service);
    expect((await get(1, foreignKey)).status).toBe(403);
    const path = '/organizations/other/environments_notifications/1';
    expect((await call(service, { path, key: foreignKey })).status).toBe(404);
  });

  it('is not found after it was deleted', async () => {
    await createNotification(service);
    const remove = { method: 'DELETE', path: `/organizations/${service.org}/environments_notifications/1` };
    expect(await administer(service, remove)).toMatchObject({ status: 200, body: 'OK' });
    expect(await administer(service, remove)).toMatchObject({ status: 404, body: { message: 'Action not found' } });
    expect((await get(1)).status).toBe(404);
    expect(await createNotification(service)).toMatchObject({ body: { number: 2 } });
  });

  it.each<[string, Record<string, unknown>, string, RegExp?]>([
    ['an unknown trigger', { triggers: ['ON_FIRE'] }, 'triggers.0'],
    ['no trigger', { triggers: [] }, 'triggers'],
    ['an environment that does not exist', { environments: ['prod', 'prodd'] }, 'environments.1'],
    ['no environment', { environments: [] }, 'environments'],
    ['an environment of another form', { environments: ['a b'] }, 'environments.0'],
    ['no target', { targets: [] }, 'targets'],
    ['a target of an unknown type', { targets: [{ type: 'FAX', webhook: 'https://x.example' }] }, 'targets.0.type'],
    ['an address that is not a URL', { targets: [{ type: 'SLACK', webhook: 'hooks' }] }, 'targets.0.webhook'],
    ['an address that is no URL', { targets: [{ type: 'SLACK', webhook: 'https://[' }] }, 'targets.0.webhook'],
    [
      'an address as it is shown',
      { targets: [{ type: 'SLACK', webhook: 'https://x.example/…' }] },
      'targets.0.webhook',
    ],
    ['a file', { targets: [{ type: 'SLACK', webhook: 'file:///etc/passwd' }] }, 'targets.0.webhook'],
    ['a user in an address', { targets: [{ type: 'SLACK', webhook: 'https://a@x.example' }] }, 'targets.0.webhook'],
    [
      'a password in an address',
      { targets: [{ type: 'SLACK', webhook: 'https://:b@x.example' }] },
      'targets.0.webhook',
    ],
    [
      'another version',
      { targets: [{ type: 'WEBHOOK', webhook: 'https://x.example', payload_version: '2.0' }] },
      'targets.0.payload_version',
    ],
    ['too many targets', { targets: Array(21).fill({ type: 'SLACK', webhook: 'https://x.example' }) }, 'targets'],
    ['a trigger twice', { triggers: [...triggers, ...triggers] }, 'triggers'],
    ['no recipient', { targets: [{ type: 'EMAIL', recipients: [] }] }, 'targets.0.recipients'],
    [
      'a second address in a recipient',
      { targets: [{ type: 'EMAIL', recipients: ['a@b.example,c@d.example'] }] },
      'targets.0.recipients.0',
      /^must be one e-mail address, such as ops@example\.com \[input: /u,
    ],
    [
      'a header in a recipient',
      { targets: [{ type: 'EMAIL', recipients: ['a@b.example\r\nBcc: c@d.example'] }] },
      'targets.0.recipients.0',
    ],
    ['an empty name', { name: '' }, 'name'],
    ['an unknown field', { kind: 'env' }, 'kind'],
  ])('with %s is rejected', async (_fault, change, field, words = /./u) => {
    const { status, body } = await createNotification(service, change);
    expect([status, body]).toMatchObject([400, { errors: { [field]: expect.stringMatching(words) } }]);
  });

  it('is rejected if the organization has too many', async () => {
    for (let created = 0; created < 100; created += 1) expect((await createNotification(service)).status).toBe(201);
    expect(await createNotification(service)).toMatchObject({
      status: 400,
      body: { errors: { name: expect.stringContaining('maximum of 100 notifications') } },
    });
  });

  it('shows admins the state of deliveries and the times of secrets, but no secret', async () => {
    const targets = [
      { type: 'WEBHOOK', webhook: secretAddress, payload_version: '1.0' },
      { type: 'SLACK', webhook: secretAddress },
    ];
    await createNotification(service, { targets });
    const inspect = { method: 'GET', path: `/organizations/${service.org}/environments_notifications/1/deliveries` };
    const { status, body } = await administer(service, inspect);
    const delivery = {
      waiting: 0,
      failures: 0,
      next_attempt_at: null,
      last_success_at: null,
      last_error: null,
      last_error_at: null,
    };
    expect([status, body]).toMatchObject([
      200,
      {
        number: 1,
        targets: [
          { type: 'WEBHOOK', delivery, secrets: [{ created_at: 1_767_323_045.25, expires_at: null }] },
          { type: 'SLACK', delivery, secrets: [] },
        ],
      },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/whsec_|services\/secret/u);
    expect(
      await administer(service, {
        ...inspect,
        path: `/organizations/${service.org}/environments_notifications/2/deliveries`,
      }),
    ).toMatchObject({
      status: 404,
    });
  });

  it('gets a new secret for a webhook, generated or given, in addition to the previous one', async () => {
    const own = `whsec_${'a'.repeat(32)}`;
    const targets = [
      { type: 'WEBHOOK', webhook: secretAddress, payload_version: '1.0', secret: own },
      { type: 'SLACK', webhook: secretAddress },
    ];
    expect(await createNotification(service, { targets })).toMatchObject({ body: { targets: [{ secret: own }, {}] } });
    const rotate = (json: unknown, position = 0, number = 1): Promise<Called> =>
      administer(service, {
        path: `/organizations/${service.org}/environments_notifications/${number}/targets/${position}/secret`,
        json,
      });
    expect(await rotate({})).toMatchObject({
      status: 201,
      body: { secret: expect.stringMatching(/^whsec_/u), grace_period_expires_at: 1_767_323_045.25 + 86_400 },
    });
    expect(await rotate({ secret: own, grace_period_hours: 0 })).toMatchObject({
      body: { secret: own, grace_period_expires_at: null },
    });
    expect(await rotate({ secret: 'whsec_short' })).toMatchObject({ status: 400 });
    for (const [position, number] of [
      [1, 1],
      [2, 1],
      [0, 2],
    ] as const) {
      expect(await rotate({}, position, number)).toMatchObject({
        status: 404,
        body: {
          message: `Notification ${number} of organization '${service.org}' has no webhook at position ${position}`,
        },
      });
    }
  });

  it('is changed field by field, and a target that stays keeps its secret and position', async () => {
    const webhook = { type: 'WEBHOOK', webhook: secretAddress, payload_version: '1.0' };
    const slack = { type: 'SLACK', webhook: secretAddress };
    await createNotification(service, { targets: [slack, webhook] });
    const twice = ['ON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'];
    await createNotification(service, { targets: [webhook, webhook, webhook], triggers: twice });
    const path = `/organizations/${service.org}/environments_notifications/1`;
    const second = `/organizations/${service.org}/environments_notifications/2/deliveries`;
    const unchanged = await administer(service, { method: 'GET', path: second });
    const change = (json: unknown): Promise<Called> => administer(service, { method: 'PATCH', path, json });
    const renamed = await change({ name: 'New', environments: ['stage'], triggers: ['ON_COMPLIANT_ENV'] });
    expect(renamed.body).toMatchObject({
      ...{ number: 1, name: 'New', environments: ['stage'], triggers: ['ON_COMPLIANT_ENV'] },
      targets: [{ type: 'SLACK' }, { type: 'WEBHOOK' }],
    });
    expect(JSON.stringify(renamed.body)).not.toContain('whsec_');
    const other = { ...webhook, webhook: 'https://other.example.com/x' };
    const own = { ...webhook, secret: `whsec_${'a'.repeat(32)}` };
    const { body } = await change({ targets: [own, webhook, webhook, other] });
    const [shown, secret] = [{ ...webhook, webhook: 'https://hooks.example.com/…' }, expect.stringMatching(/^whsec_/u)];
    expect(valueAt(body, 'targets')).toEqual([
      shown,
      { ...shown, secret: own.secret },
      { ...shown, secret },
      { ...shown, webhook: 'https://other.example.com/…', secret },
    ]);
    const inspected = await administer(service, { method: 'GET', path: `${path}/deliveries` });
    expect(inspected.body).toMatchObject({ name: 'New', targets: [1, 2, 3, 4].map((position) => ({ position })) });
    expect((await administer(service, { path: `${path}/targets/2/secret`, json: {} })).status).toBe(201);
    expect(await change({ environments: ['none'] })).toMatchObject({ status: 400 });
    expect(await change({ targets: [{ type: 'SLACK', webhook: 'https://a:b@x' }] })).toMatchObject({ status: 400 });
    expect(await administer(service, { method: 'PATCH', path: `${path}2`, json: { name: 'x' } })).toMatchObject({
      status: 404,
    });
    const listed = await call(service, { path: `/organizations/${service.org}/environments_notifications` });
    expect(listed.body).toMatchObject([
      { number: 1, name: 'New', targets: [{}, {}, {}, {}] },
      { number: 2, triggers: ['ON_COMPLIANT_ENV'] },
    ]);
    expect(await administer(service, { method: 'GET', path: second })).toMatchObject({ body: unchanged.body });
  });
});
