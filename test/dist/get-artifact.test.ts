import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { valueAt } from '../../src/runtime/untrusted-data.ts';
import { type ActionJob, jobForAllTests } from '../support/action-job.ts';
import { errorEnding, failedStep } from '../support/failed-step.ts';
import { commandsNamed, shownLines } from '../support/workflow-command.ts';

const job = jobForAllTests();
/** Holds an artifact of each state, by the template's demand of `sonar`. */
let flow: string;
const fingerprints = {
  COMPLIANT: someFingerprint(),
  'NON-COMPLIANT': someFingerprint(),
  INCOMPLETE: someFingerprint(),
};

beforeAll(async () => {
  flow = await job.flow('artifact', 'sonar');
  await job.report(flow, { fingerprint: fingerprints.COMPLIANT, trail: 'passing' });
  await job.report(flow, { fingerprint: fingerprints['NON-COMPLIANT'], trail: 'failing' });
  await job.report(flow, { fingerprint: fingerprints.INCOMPLETE, trail: 'waiting' });
  await Promise.all([job.attest(flow, 'passing', 'OK'), job.attest(flow, 'failing', 'ERROR')]);
});

function someFingerprint(): string {
  return randomBytes(32).toString('hex');
}

function lookUp(more: Readonly<Record<string, string>>, inFlow = flow): ReturnType<ActionJob['step']> {
  return job.step({ operation: 'get-artifact', flow: inFlow, ...more });
}

describe('the step get-artifact, by a fingerprint', () => {
  it('passes a compliant artifact', async () => {
    const fingerprint = fingerprints.COMPLIANT;
    const result = await lookUp({ fingerprint });
    expect(result).toMatchObject({
      exitCode: 0,
      errorLog: '',
      outputs: { outcome: 'compliant', compliant: 'true', state: 'COMPLIANT', fingerprint },
      response: { fingerprint, state: 'COMPLIANT', flow_name: flow },
    });
    expect(JSON.parse(result.outputs['response'] ?? '')).toEqual(result.response);
    expect(result.outputs['html-url']).toBe(valueAt(result.response, 'html_url'));
    expect(commandsNamed(result.log, 'error')).toEqual([]);
    expect(shownLines(result.log).join('\n')).toContain('✅ Compliant: Artifact web.tgz');
    expect(result.summary).toMatch(/^<h2>✅ Compliant: <a [^>]*>Artifact web\.tgz/u);
  });

  it.each([
    ['NON-COMPLIANT', 'non-compliant', 'Non-compliant'],
    ['INCOMPLETE', 'incomplete', 'Incomplete'],
  ] as const)('fails an artifact that is %s, after everything is reported', async (state, outcome, word) => {
    const fingerprint = fingerprints[state];
    const result = await lookUp({ fingerprint });
    expect(result).toMatchObject({
      exitCode: 1,
      outputs: { outcome, compliant: 'false', state, fingerprint },
      response: { state },
    });
    expect(commandsNamed(result.log, 'error')).toEqual([
      {
        name: 'error',
        properties: { title: `${word}: Artifact web.tgz ${fingerprint.slice(0, 12)}` },
        message: expect.stringContaining(` is ${state} in flow ${flow}: sonar: `),
      },
    ]);
    expect(result.summary).toContain(word);
  });

  it.each([
    ['warn', 'warning'],
    ['ignore', undefined],
  ])('goes on with on-non-compliant: %s, and its outputs tell the truth', async (onNonCompliant, level) => {
    const { exitCode, outputs, log } = await lookUp({
      fingerprint: fingerprints['NON-COMPLIANT'],
      'on-non-compliant': onNonCompliant,
    });
    expect([exitCode, outputs['outcome'], outputs['compliant']]).toEqual([0, 'non-compliant', 'false']);
    expect(commandsNamed(log, 'error')).toEqual([]);
    expect(commandsNamed(log, 'warning')).toHaveLength(level === undefined ? 0 : 1);
  });

  it('takes the first digits for the artifact they belong to, and gives the whole fingerprint', async () => {
    const result = await lookUp({ fingerprint: fingerprints.COMPLIANT.slice(0, 20) });
    expect(result).toMatchObject({ exitCode: 0, outputs: { fingerprint: fingerprints.COMPLIANT } });
  });

  it('narrows the look-up by the trail, only when one is given', async () => {
    const own = await job.flow('artifact');
    const fingerprint = someFingerprint();
    await job.report(own, { fingerprint, trail: 'pr-1' });
    await job.report(own, { fingerprint, trail: 'pr-2' });
    const [first, latest, neither] = await Promise.all([
      lookUp({ fingerprint, trail: 'pr-1' }, own),
      lookUp({ fingerprint }, own),
      lookUp({ fingerprint, trail: 'pr-3' }, own),
    ]);
    expect(first.response).toMatchObject({ trail_name: 'pr-1' });
    expect(latest.response).toMatchObject({ trail_name: 'pr-2' });
    expect(neither).toMatchObject({ exitCode: 1, outputs: { outcome: 'incomplete' } });
    expect(neither.log).toContain(`not reported to trail pr-3 of flow ${own}`);
    const id = valueAt(first.response, 'id');
    const byId = await lookUp({ fingerprint, 'attestation-id': String(id) }, own);
    expect(byId.response).toMatchObject({ id, trail_name: 'pr-1' });
  });

  it('judges an artifact that nobody reported as incomplete, red unless the step says otherwise', async () => {
    const fingerprint = someFingerprint();
    const red = await lookUp({ fingerprint, wait: '1' });
    expect(red).toMatchObject({ exitCode: 1, outputs: { outcome: 'incomplete', compliant: 'false', fingerprint } });
    expect(commandsNamed(red.log, 'error')).toEqual([
      {
        name: 'error',
        properties: { title: `Incomplete: Artifact ${fingerprint.slice(0, 12)}` },
        message: expect.stringMatching(/: not reported to flow \S+ within 1 s\. Waited 1 s for a final verdict/u),
      },
    ]);
    const ignored = await lookUp({ fingerprint, 'on-non-compliant': 'ignore' });
    expect(ignored).toMatchObject({ exitCode: 0, outputs: { outcome: 'incomplete', compliant: 'false' } });
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

  it('reports the others if nobody reported one of them', async () => {
    await artifact('unknown/a.tgz', 'passing');
    await job.workspace.write('unknown/b.tgz', randomBytes(10));
    const result = await lookUp({ files: 'unknown/*' });
    expect(result).toMatchObject({
      exitCode: 1,
      outputs: { outcome: 'incomplete', compliant: 'false', state: 'INCOMPLETE' },
      response: [
        { verdict: 'compliant', artifact: { state: 'COMPLIANT' } },
        { verdict: 'incomplete', reasons: [{ about: 'unknown/b.tgz', value: `not reported to flow ${flow}` }] },
      ],
    });
    expect(result.summary).toContain('unknown/a.tgz');
    expect(commandsNamed(result.log, 'error')[0]?.message).toContain('unknown/b.tgz');
  });

  it('names the pattern that nothing matches, before anything is asked', async () => {
    expect(failedStep(await lookUp({ files: 'nothing/*.tgz' }))).toMatchObject({
      ...errorEnding,
      kind: 'user',
      title: 'Mistake in the workflow',
      message: expect.stringContaining('nothing/*.tgz'),
    });
  });
});
