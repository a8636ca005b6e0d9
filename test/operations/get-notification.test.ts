import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../support/failures.ts';
import {
  always,
  type PerformedOperation,
  performOperation,
  reportFacts,
  reportTables,
} from '../support/perform-operation.ts';
import { userErrorOf } from '../support/user-error.ts';

const notification = {
  number: 7,
  name: 'prod breaks',
  type: 'env',
  environments: ['prod', 'staging'],
  triggers: ['ON_NON_COMPLIANT_ENV', 'ON_COMPLIANT_ENV'],
  targets: [
    { type: 'WEBHOOK', webhook: 'https://hooks.example.com/T000/secret-of-the-hook', payload_version: '1.0' },
    { type: 'SLACK', webhook: 'not an address' },
    { type: 'EMAIL', recipients: ['ann@example.com', 'bob@example.com'] },
    { type: 'PIGEON' },
  ],
  created_at: 1_767_323_045,
  created_by: 'ann',
  last_modified_at: 1_767_323_045,
  last_success_timestamp: 1_767_323_100,
  is_created_from_slack_app: false,
  is_failing: false,
};
const inputs = { 'notification-number': '7' };

function show(answer: unknown): Promise<PerformedOperation> {
  return performOperation('get-notification', inputs, always(200, answer));
}

describe('get-notification', () => {
  it.each([[{ slack: '#ops' }], [['#ops', null, 7]], [undefined]])(
    'hands targets on as they came: %j',
    async (targets) => {
      const body = { number: 7, is_failing: false, targets };
      const { result } = await show(body);
      expect(result.outcome).toBe('done');
      expect(JSON.parse(JSON.stringify(result.response))).toEqual(JSON.parse(JSON.stringify(body)));
    },
  );

  it('shows the triggers, the targets and whether delivery works', async () => {
    const { result, sent } = await show(notification);
    expect(sent).toEqual(['GET /organizations/acme/environments_notifications/7']);
    expect(result).toMatchObject({
      outcome: 'done',
      state: 'working',
      conclusion: 'Notification 7, prod breaks, in organization acme works; it has 4 targets.',
      response: notification,
    });
    expect(reportFacts(result)).toEqual({
      Organization: 'acme',
      Delivery: '✅ working',
      'Last success': '2026-01-02T03:05:00Z',
      Type: 'env',
      Environments: 'prod, staging',
      Triggers: 'ON_NON_COMPLIANT_ENV, ON_COMPLIANT_ENV',
      Created: '2026-01-02T03:04:05Z',
      'Created by': 'ann',
      'Last modified': '2026-01-02T03:04:05Z',
    });
  });

  it('shows only the origin of a webhook URL, because its path is a secret', async () => {
    const { result } = await show(notification);
    expect(reportTables(result)).toEqual({
      'Targets (4)': [
        ['WEBHOOK', 'https://hooks.example.com/…', '1.0'],
        ['SLACK', '…', ''],
        ['EMAIL', 'ann@example.com, bob@example.com', ''],
        ['PIGEON', '', ''],
      ],
    });
  });

  it.each([
    [1_767_323_100, 'it last reached its targets at 2026-01-02T03:05:00Z'],
    [null, 'it never reached its targets'],
  ])('says that it is failing, and since when (%p)', async (success, words) => {
    const { result } = await show({ ...notification, is_failing: true, last_success_timestamp: success });
    expect(result).toMatchObject({ outcome: 'done', state: 'failing' });
    expect(result.conclusion).toBe(`Notification 7, prod breaks, in organization acme is failing: ${words}.`);
  });

  it('does not report success if the service does not say', async () => {
    const { result } = await show({ number: 7, targets: [{ type: 'EMAIL', recipients: [] }] });
    expect(result.state).toBeUndefined();
    expect(result.conclusion).toBe(
      'Notification 7, in organization acme has 1 target; the service does not say whether it works.',
    );
  });

  it('shows the service’s message if the notification does not exist', async () => {
    const failure = await failureOf(
      performOperation('get-notification', inputs, always(404, { message: 'Action not found' })),
    );
    expect(failure.message).toContain('404: Action not found');
  });

  it('requires a number', async () => {
    const mistake = await userErrorOf(() => performOperation('get-notification', {}, always(200, notification)));
    expect(mistake.problems[0]?.input).toBe('notification-number');
  });
});
