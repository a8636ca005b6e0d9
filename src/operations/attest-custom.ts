import { customKind } from '../contract/attestations/custom.ts';
import { UserError } from '../runtime/failure.ts';
import { defineAttestOperation } from './attest/define-attest-operation.ts';
import { findSourceFiles } from './attest/find-source-files.ts';
import { attestationType, dataPath } from './inputs/evidence-inputs.ts';
import { required } from './inputs/input.ts';
import { fact } from './report.ts';

/** Records evidence of a type that the organization defines. The service judges it. */
export const attestCustom = defineAttestOperation({
  kind: customKind,
  inputs: { attestationType: required(attestationType), dataPath: required(dataPath) },
  gatherTitle: 'Read the data',
  async gather(values, _commit, context) {
    const [file, ...others] = await findSourceFiles('data-path', [values.dataPath], values, context);
    if (file === undefined || others.length > 0) {
      throw new UserError({
        input: 'data-path',
        what: `\`data-path\` must name one file, but matches ${others.length + 1}`,
        remedy: 'Write the path of the file; attach others with `files`.',
      });
    }
    // Only this operation needs the reader.
    const { readCustomData } = await import(/* webpackChunkName: 'custom' */ '../evidence/custom-data.ts');
    return { type: values.attestationType, custom: await readCustomData(file) };
  },
  toDocument: (common, { type, custom }) => ({ ...common, type_name: type, attestation_data: custom }),
  present: ({ type }, { attestationName }) => ({
    subject: `Evidence ${attestationName}`,
    facts: fact('Type', type),
  }),
});
