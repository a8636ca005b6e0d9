import { junitKind } from '../../contract/attestations/junit.ts';
import { forInput } from '../../evidence/files/file-problems.ts';
import { resolveFiles } from '../../evidence/files/resolve-files.ts';
import { defineAttestOperation } from '../attest/define-attest-operation.ts';
import { junitPath } from '../inputs/evidence-inputs.ts';
import { required } from '../inputs/input.ts';
import { presentTests, type GatheredTests } from './junit-result.ts';

/** Records the results in JUnit files, and attaches the files. */
export const attestJunit = defineAttestOperation({
  kind: junitKind,
  defaultName: 'junit',
  inputs: { junitPath: required(junitPath) },
  findSources: ({ junitPath: patterns, includeHiddenFiles: includesHidden }, { workspace, call: { log } }) =>
    forInput('junit-path', () => resolveFiles({ patterns, workspace, attachmentRules: { includesHidden, log } })),
  gatherTitle: 'Read the test results',
  async gather(_values, _commit, { call }, files): Promise<GatheredTests> {
    // Only this operation needs the parser.
    const { gatherJunit } = await import(/* webpackChunkName: 'junit' */ '../../evidence/junit/gather-junit.ts');
    return { tests: await gatherJunit(files, call), fileCount: files.length };
  },
  toDocument: (common, { tests }) => ({ ...common, junit_results: [...tests.results] }),
  present: (gathered, { attestationName }) => presentTests(gathered, attestationName),
});
