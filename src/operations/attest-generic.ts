import { genericKind } from '../contract/attestations/generic.ts';
import { defineAttestOperation } from './attest/define-attest-operation.ts';
import { required } from './inputs/input.ts';
import { flag } from './inputs/input-types.ts';

/** Whether the user's own evidence is compliant. It decides a gate, so there is no default. */
const compliant = flag('compliant');

/** Records evidence of any other tool, with the verdict that the workflow gives. */
export const attestGeneric = defineAttestOperation({
  kind: genericKind,
  inputs: { compliant: required(compliant) },
  gatherTitle: 'Collect the evidence',
  gather: (values) => Promise.resolve({ isCompliant: values.compliant }),
  toDocument: (common, { isCompliant }) => ({ ...common, is_compliant: isCompliant }),
  present: (_gathered, { attestationName }) => ({ subject: `Evidence ${attestationName}` }),
});
