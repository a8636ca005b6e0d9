import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseReportTask } from '../../../src/evidence/sonar/report-task.ts';
import { UserError } from '../../../src/runtime/failure.ts';
import { codePoint } from '../../support/code-point.ts';

const text = [
  'organization=acme',
  'projectKey=acme:widgets',
  'serverUrl=https://sonar.example.com/sonarqube',
  'serverVersion=10.6.0.92116',
  'dashboardUrl=https://sonar.example.com/sonarqube/dashboard?id=acme%3Awidgets&branch=a=b',
  'ceTaskId=AYhSC2-LY0CHkWJxvNA9',
  'ceTaskUrl=https://sonar.example.com/sonarqube/api/ce/task?id=AYhSC2-LY0CHkWJxvNA9',
];
const task = {
  ceTaskId: 'AYhSC2-LY0CHkWJxvNA9',
  projectKey: 'acme:widgets',
  organization: 'acme',
  serverUrl: 'https://sonar.example.com/sonarqube',
  serverVersion: '10.6.0.92116',
  dashboardUrl: 'https://sonar.example.com/sonarqube/dashboard?id=acme%3Awidgets&branch=a=b',
};

describe('a report-task.txt', () => {
  it.each([
    ['blank lines, unknown keys and lines without a key', `\n${text.join('\n\n')}\nfuture=1\nnothing\n=nothing\n`],
    ['a byte order mark', `\uFEFF${text.join('\n')}`],
  ])('is read with %s', (_what, variant) => {
    expect(parseReportTask(variant, 'report-task.txt')).toEqual(task);
  });

  it.each([
    ['projectKey=x\nceTaskId=\n', 'has no `ceTaskId`'],
    ['ceTaskId=a b\n', 'has a `ceTaskId` that is not the id of a task'],
    ['ceTaskId=a\u001B[31m\n', 'has a `ceTaskId` that is not the id of a task'],
  ])('without the id of a task (%j) is refused, naming the file', (wrong, words) => {
    const parse = (): unknown => parseReportTask(wrong, 'build/report-task.txt');
    expect(parse).toThrow(UserError);
    expect(parse).toThrow(`the Sonar report build/report-task.txt ${words}`);
  });

  it('is either a task or refused, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (anything) => {
        try {
          expect(parseReportTask(anything, 'x').ceTaskId).toMatch(/^[\x21-\x7E]+$/u);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});
