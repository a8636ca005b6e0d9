import { describe, expect, it } from '@jest/globals';
import type { UserError } from '../../../src/runtime/failure.ts';
import { runOperation } from '../../../src/step/run/run-operation.ts';
import { answeringTransport, jsonAnswer } from '../../support/answering-transport.ts';
import { anArtifact, fingerprintOf } from '../../support/artifacts.ts';
import { connection, openTestStep } from '../../support/test-step.ts';
import { userErrorOf } from '../../support/user-error.ts';

const lookUp = { ...connection, operation: 'get-artifact', flow: 'web', fingerprint: fingerprintOf('a') };

/** Runs a step that must fail before anything is sent. */
async function mistakesOf(
  inputs: Readonly<Record<string, string>>,
): Promise<{ readonly problems: UserError['problems']; readonly warnings: readonly string[] }> {
  const transport = answeringTransport(() => jsonAnswer(500, {}));
  const { context, log } = openTestStep({ inputs, transport });
  const { problems } = await userErrorOf(() => runOperation(context));
  expect(transport.requests).toEqual([]);
  return { problems, warnings: log.warnings };
}

async function problemsOf(inputs: Readonly<Record<string, string>>): Promise<readonly (string | undefined)[]> {
  return (await mistakesOf(inputs)).problems.map(({ input }) => input);
}

describe('runOperation, with the name of an input that the action does not have', () => {
  it('fails if it is close to an input, and names that', async () => {
    const inputs = { ...connection, operation: 'list-attestations', flow: 'web', 'on-noncompliant': 'fail' };
    expect((await mistakesOf(inputs)).problems).toEqual([
      {
        input: 'on-noncompliant',
        what: '`on-noncompliant` is not an input of this action',
        remedy: 'Did you mean `on-non-compliant`? Correct the name, or remove the input.',
      },
    ]);
  });

  it('prefers what the operation uses to what another one does', async () => {
    const { problems } = await mistakesOf({ ...lookUp, noncompliant: 'fail' });
    expect(problems[0]?.remedy).toContain('`on-non-compliant`');
    const inputs = { ...connection, operation: 'attest-generic', flow: 'web', 'attestation-name': 'scan' };
    expect((await mistakesOf({ ...inputs, complaint: 'true' })).problems[0]?.remedy).toContain('`compliant`');
  });

  it('reports it before all other problems, such as the input that is missing therefore', async () => {
    const inputs = { ...lookUp, fingerprint: '', retries: 'many', flwo: 'web', flow: '', 'finger-print': 'abcde' };
    expect(await problemsOf(inputs)).toEqual(['flwo', 'finger-print', 'retries', 'flow', 'fingerprint']);
  });

  it('knows the inputs of all operations', async () => {
    const { problems } = await mistakesOf({ ...lookUp, 'junit-pth': 'junit.xml' });
    expect(problems[0]?.remedy).toContain('`junit-path`');
  });

  it('says so even if the operation is missing, or misspelt itself', async () => {
    expect(await problemsOf({ ...connection, opertion: 'get-artifact' })).toEqual(['opertion', 'operation']);
    const inputs = { ...connection, operation: 'get-artefact', flwo: 'web', 'junit-path': 'a.xml' };
    expect(await problemsOf(inputs)).toEqual(['flwo', 'operation']);
  });

  it('only warns if it is close to none, and also if there are other problems', async () => {
    const unknown = { ...lookUp, threshold: '3', 'sonar-token': 'squ_secret_0123456789' };
    const warnings = [
      '`threshold` is not an input of this action; remove it from `with:`.',
      '`sonar-token` is not used by get-artifact; remove it from `with:`.',
    ];
    const { context, log } = openTestStep({
      inputs: unknown,
      transport: answeringTransport(() => jsonAnswer(200, anArtifact())),
    });
    await runOperation(context);
    expect(log.warnings).toEqual(warnings);
    expect((await mistakesOf({ ...unknown, flow: '' })).warnings).toEqual(warnings);
  });

  it('does not speak of an input that has its own reason not to be one', async () => {
    expect(await problemsOf({ ...lookUp, environment: 'prod' })).toEqual(['environment']);
    const inputs = { ...connection, operation: 'create-environment', environment: 'prod', 'environment-type': 'K8S' };
    const { problems, warnings } = await mistakesOf({ ...inputs, include_scaling: 'true' });
    expect(problems.map(({ input }) => input)).toEqual(['include_scaling']);
    expect(warnings).toEqual([]);
  });
});
