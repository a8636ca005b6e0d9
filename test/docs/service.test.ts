import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { artifactReport } from '../../src/contract/artifact-report.ts';
import { violations } from '../../src/contract/check.ts';
import { createKey, createOrganization, revokeKey } from '../../src/service/administration/endpoints.ts';
import { roles } from '../../src/service/domain/access.ts';
import { usage } from '../../src/service/options.ts';
import { textAt } from '../../src/runtime/values.ts';
import { codeWordsOf, fencesOf, tablesOf } from '../support/markdown.ts';
import { readText, stepsOf } from '../support/repository.ts';

const page = readText('docs/service.md');

function firstCells(firstColumn: string): readonly string[] {
  const table = tablesOf(page).find(({ columns }) => columns[0] === firstColumn);
  return (table?.rows ?? []).map(([cell = '']) => codeWordsOf(cell)[0] ?? '');
}

describe('the page about the service', () => {
  it('has every flag of the command with its environment variable', () => {
    const rows = tablesOf(page).find(({ columns }) => columns[0] === 'Flag')?.rows ?? [];
    const documented = rows.map(([flag = '', variable = '']) => `${flag} ${variable}`);
    const declared = [...usage.matchAll(/(--[\w-]+) [^]*?or (COMPLIANCE_\w+)/gu)];
    expect(documented).toEqual(declared.map(([, flag, variable]) => `\`${flag ?? ''}\` \`${variable ?? ''}\``));
  });

  it('has every role', () => {
    expect(firstCells('Role')).toEqual([...roles]);
  });

  it('has every request of the administration', () => {
    const declared = [createOrganization, createKey, revokeKey];
    expect(firstCells('Request')).toEqual(declared.map(({ method, path }) => `${method} /admin/v1${path}`));
  });

  it('reports an artifact in the form that the service takes', () => {
    const [step] = fencesOf(page)
      .filter(({ language }) => language === 'yaml')
      .flatMap(({ text }) => stepsOf(parse(text)));
    const script = textAt(step, 'run') ?? '';
    const document = /<<END\n(.*)\nEND/su.exec(script)?.[1] ?? '';
    const filled = document
      .replaceAll(/\$\(sha256sum [^)]*\)/gu, 'a'.repeat(64))
      .replaceAll('$GITHUB_SHA', 'b'.repeat(40))
      .replaceAll(/\$GITHUB_\w+/gu, 'x');
    expect(violations(artifactReport, JSON.parse(filled))).toEqual([]);
  });
});
