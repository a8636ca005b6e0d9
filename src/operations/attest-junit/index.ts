import { junitKind } from '../../contract/attestations/junit.ts';
import { defineAttestOperation } from '../attest/define-attest-operation.ts';
import { findSourceFiles } from '../attest/find-source-files.ts';
import { junitPath } from '../inputs/evidence-inputs.ts';
import { required } from '../inputs/input.ts';
import { presentTests, type GatheredTests } from './junit-result.ts';

/** Records the results in JUnit files, and attaches the files. */
export const attestJunit = defineAttestOperation({
  kind: junitKind,
  defaultName: 'junit',
  inputs: { junitPath: required(junitPath) },
  findSources: (values, context) => findSourceFiles('junit-path', values.junitPath, values, context),
  gatherTitle: 'Read the test results',
  async gather(_values, _commit, { call }, files): Promise<GatheredTests> {
    // Only this operation needs the parser.
    const { gatherJunit } = await import(/* webpackChunkName: 'junit' */ '../../evidence/junit/gather-junit.ts');
    return { tests: await gatherJunit(files, call), fileCount: files.length };
  },
  toDocument: (common, { tests }) => ({ ...common, junit_results: [...tests.results] }),
  present: (gathered, { attestationName }) => presentTests(gathered, attestationName),
});
