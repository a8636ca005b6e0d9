import { customKind } from '../contract/attestations/custom.ts';
import { customTypeName } from '../contract/names.ts';
import { UserError } from '../runtime/failure.ts';
import { defineAttestOperation } from './attest/define-attest-operation.ts';
import { findSourceFiles } from './attest/find-source-files.ts';
import { required } from './inputs/input.ts';
import { schemaText, text } from './inputs/input-types.ts';
import { fact } from './report.ts';

/** Records evidence of a type that the organization defines. The service judges it. */
export const attestCustom = defineAttestOperation({
  kind: customKind,
  inputs: {
    /** The custom type of the evidence, with or without `custom:` in front. */
    attestationType: required(
      schemaText(
        'attestation-type',
        customTypeName,
        'the name of a custom type: letters, digits, `.`, `-`, `_` and `~`, the first one a letter or a digit',
        'Write the name that the type was created with.',
        (name) => name.replace(/^custom:/u, ''),
      ),
    ),
    /** The path of a JSON file with the data of the evidence. */
    dataPath: required(text('data-path')),
  },
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
