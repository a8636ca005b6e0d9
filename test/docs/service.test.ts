import { describe, expect, it } from '@jest/globals';
import { artifactReport } from '../../src/contract/artifact-report.ts';
import { violations } from '../../src/contract/check.ts';
import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import { endpoints } from '../../src/contract/endpoints.ts';
import { notificationPayload, notificationTarget, triggers } from '../../src/contract/notification.ts';
import { parseSnapshotExpression } from '../../src/contract/snapshot-expression.ts';
import { createOrganization } from '../../src/service/organization/organization-routes.ts';
import { readPolicy } from '../../src/service/policy/read-policy.ts';
import { roles } from '../../src/contract/role.ts';
import { mayAccess } from '../../src/service/account/access.ts';
import { usage } from '../../src/service/commands/service-options.ts';
import { codeWordsOf, fencesOf, tablesOf } from '../support/markdown.ts';
import { readText } from '../support/repository.ts';

const names = ['operate/install', 'operate/keys', 'service-api', 'judging', 'notifications'];
const page = names.map((name) => readText(`docs/${name}.md`)).join('\n');

function firstCells(firstColumn: string): readonly string[] {
  const table = tablesOf(page).find(({ columns }) => columns[0] === firstColumn);
  return (table?.rows ?? []).map(([cell = '']) => codeWordsOf(cell)[0] ?? '');
}

describe('the pages about the service', () => {
  it('has every flag of the command with its environment variable', () => {
    const rows = tablesOf(page).find(({ columns }) => columns[0] === 'Flag')?.rows ?? [];
    const documented = rows.map(([flag = '', variable = '']) => `${flag} ${variable}`);
    const declared = [...usage.matchAll(/(--[\w-]+)\s[^]*?or (COMPLIANCE_\w+)/gu)];
    expect(documented).toEqual(declared.map(([, flag, variable]) => `\`${flag ?? ''}\` \`${variable ?? ''}\``));
  });

  it('has every operation with its request', () => {
    const rows = tablesOf(page).find(({ columns }) => columns[0] === 'Number')?.rows ?? [];
    const declared = endpoints.map(({ number, method, path }) => [String(number), `\`${method} ${path}\``]);
    expect(rows.map((row) => row.slice(0, 2))).toEqual(declared);
  });

  it('has every role with what it may do', () => {
    const permissions = ['read', 'record', 'report', 'read service accounts', 'administer'] as const;
    const declared = roles.map((role) => [
      `\`${role}\``,
      ...permissions.map((permission) =>
        mayAccess({ org: 'acme', grants: [{ role }] }, 'acme', permission) ? 'yes' : 'no',
      ),
    ]);
    expect(tablesOf(page).find(({ columns }) => columns[0] === 'Role')?.rows).toEqual(declared);
  });

  it('has every trigger and every kind of target', () => {
    expect(firstCells('Trigger')).toEqual([...triggers]);
    expect(firstCells('Target')).toEqual(notificationTarget.anyOf.map(({ properties }) => properties.type.const));
  });

  it('has expressions that select snapshots', () => {
    const rows = tablesOf(page).find(
      ({ heading, columns }) => heading === 'Snapshot expressions' && columns[0] === 'Written',
    )?.rows;
    const expressions = (rows ?? []).flatMap(([written = '']) => codeWordsOf(written));
    expect(expressions.length).toBeGreaterThan(4);
    for (const expression of expressions) expect(parseSnapshotExpression(expression)).toHaveProperty('readings');
  });

  it('shows policies that the service accepts', () => {
    const policies = fencesOf(page).filter(({ text }) => text.startsWith('_schema:'));
    expect(policies).toHaveLength(1);
    for (const { text } of policies) expect(readPolicy(Buffer.from(text))).toHaveProperty('rules');
  });

  it('shows a valid request for a notification', () => {
    const script = fencesOf(page).find(({ text }) => text.includes('/environments_notifications'))?.text ?? '';
    const document = /--data '(.*)'/su.exec(script)?.[1] ?? '';
    expect(violations(notificationPayload, JSON.parse(document))).toEqual([]);
  });

  it('has every request of the administration', () => {
    const { method, path } = createOrganization;
    const own = apiEndpoints.filter(
      ({ number, path: address }) => number === undefined && /^\/(?:organizations|service-accounts)\//u.test(address),
    );
    const declared = own.map((endpoint) => `${endpoint.method} ${endpoint.path}`);
    expect(firstCells('Request').toSorted()).toEqual([`${method} /admin/v1${path}`, ...declared].toSorted());
  });

  it('has every request beyond the interface that reads or reports', () => {
    const others = apiEndpoints.filter(
      ({ number, path }) => number === undefined && /^\/(?:environments|snapshots|policies|user)\//u.test(path),
    );
    for (const { method, path } of others) expect(page).toContain(`\`${method} ${path}\``);
  });

  it('shows a valid report of an artifact', () => {
    const reports = fencesOf(page).filter(({ language, text }) => language === 'json' && text.includes('"filename"'));
    expect(reports.map(({ text }) => violations(artifactReport, JSON.parse(text)))).toEqual([[]]);
  });
});
