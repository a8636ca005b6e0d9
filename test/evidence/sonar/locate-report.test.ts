import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { locateReport } from '../../../src/evidence/sonar/locate-report.ts';
import { workspaceForEachTest } from '../../support/temporary-workspace.ts';
import { userErrorOf } from '../../support/user-error.ts';

const workspace = workspaceForEachTest();

const usualPlaces = [
  '.scannerwork/report-task.txt',
  'target/sonar/report-task.txt',
  'build/sonar/report-task.txt',
  '.sonarqube/out/.sonar/report-task.txt',
];

describe('the report of a scan', () => {
  it.each(usualPlaces)('is found at %s below a named folder', async (place) => {
    const path = await workspace.write(join('services/web', place), '');
    expect(locateReport('services/web', workspace.path)).toEqual({ path, isNamed: false });
  });

  it('that does not exist is an error that lists the paths that were tried', async () => {
    await workspace.write('.scannerwork/report-task.txt/file', '');
    const failure = await userErrorOf(() => locateReport(undefined, workspace.path));
    for (const place of usualPlaces) expect(failure.message).toContain(join(workspace.path, place));
    expect(failure.remedy).toContain('`sonar-report-path`');
  });

  it('that is not at the given path is an error that names the path', async () => {
    await workspace.write('file', '');
    for (const missing of ['missing.txt', 'file/missing.txt']) {
      const failure = await userErrorOf(() => locateReport(missing, workspace.path));
      expect(failure.message).toBe(`there is no Sonar report at ${join(workspace.path, missing)}`);
    }
  });

  it('is not guessed among several: the error lists them', async () => {
    const one = await workspace.write('target/sonar/report-task.txt', '');
    const other = await workspace.write('.scannerwork/report-task.txt', '');
    for (const path of [undefined, '.']) {
      const failure = await userErrorOf(() => locateReport(path, workspace.path));
      expect(failure.message).toContain(`several Sonar reports: ${other}, ${one}`);
    }
  });
});
