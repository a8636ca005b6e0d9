import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { type ActionJob, jobForAllTests } from '../support/action-job.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();
/** Requires `sonar`, which is good in the trail `passing` and bad in the trail `failing`. */
let flow: string;
const compliant = randomBytes(32).toString('hex');

beforeAll(async () => {
  flow = await job.flow('artifact', 'sonar');
  await job.report(flow, { fingerprint: compliant, trail: 'passing' });
  await Promise.all([job.attest(flow, 'passing', 'OK'), job.attest(flow, 'failing', 'ERROR')]);
});

function lookUp(more: Readonly<Record<string, string>>): ReturnType<ActionJob['step']> {
  return job.step({ operation: 'get-artifact', flow, ...more });
}

describe('the step get-artifact, by a fingerprint', () => {
  it('passes a compliant artifact that is named by its first digits', async () => {
    const result = await lookUp({ fingerprint: compliant.slice(0, 20) });
    expect(result).toMatchObject({
      exitCode: 0,
      errorLog: '',
      outputs: { outcome: 'compliant', compliant: 'true', state: 'COMPLIANT', fingerprint: compliant },
      response: { fingerprint: compliant, state: 'COMPLIANT', flow_name: flow },
    });
    expect(JSON.parse(result.outputs['response'] ?? '')).toEqual(result.response);
    expect(result.outputs['html-url']).toBe(valueAt(result.response, 'html_url'));
    expect(commandsNamed(result.log, 'error')).toEqual([]);
    expect(shownLines(result.log).join('\n')).toContain('✅ Compliant: Artifact web.tgz');
    expect(result.summary).toMatch(/^<h2>✅ Compliant: <a [^>]*>Artifact web\.tgz/u);
  });
});

describe('the step get-artifact, by files', () => {
  /** Writes a file of its own, and reports the artifact in the state that the trail brings. */
  async function artifact(path: string, trail: string): Promise<string> {
    const content = randomBytes(100);
    await job.workspace.write(path, content);
    const fingerprint = createHash('sha256').update(content).digest('hex');
    await job.report(flow, { fingerprint, trail });
    return fingerprint;
  }

  it('computes the fingerprint of the one file it is given', async () => {
    const fingerprint = await artifact('one/web.tgz', 'passing');
    const result = await lookUp({ files: 'one/web.tgz' });
    expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'compliant', fingerprint } });
    expect(shownLines(result.log)).toContain(`one/web.tgz: ${fingerprint}`);
  });

  it('looks each of several up; each is in the report, and the worst decides', async () => {
    const good = await artifact('several/a.tgz', 'passing');
    const open = await artifact('several/b.tgz', 'waiting');
    const bad = await artifact('several/c.tgz', 'failing');
    const result = await lookUp({ files: 'several/*.tgz' });
    expect(result).toMatchObject({
      exitCode: 1,
      outputs: {
        outcome: 'non-compliant',
        compliant: 'false',
        state: 'NON-COMPLIANT',
        fingerprint: [good, open, bad].join('\n'),
      },
      response: [
        { file: 'several/a.tgz', fingerprint: good, verdict: 'compliant', artifact: { state: 'COMPLIANT' } },
        { file: 'several/b.tgz', fingerprint: open, artifact: { state: 'INCOMPLETE' } },
        { file: 'several/c.tgz', fingerprint: bad, artifact: { state: 'NON-COMPLIANT' } },
      ],
    });
    for (const name of ['a', 'b', 'c']) expect(result.summary).toContain(`several/${name}.tgz</a></td>`);
    expect(commandsNamed(result.log, 'error')[0]?.message).toContain('2 of 3 artifacts');
  });
});
