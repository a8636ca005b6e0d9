import { genericKind } from '../contract/attestations/generic.ts';
import { attestationEvidence, attestationFacts, concludeAttestation } from './attest/attestation-report.ts';
import { defineAttestOperation, type Attested, type GatheredEvidence } from './attest/define-attest-operation.ts';
import { flag } from './inputs/input-types.ts';
import { required } from './inputs/input.ts';
import type { OperationResult } from './operation.ts';

/** Whether the user's own evidence is compliant. It decides a gate, so there is no default. */
const compliant = flag('compliant');

interface GenericEvidence extends GatheredEvidence {
  readonly isCompliant: boolean;
}

/** Records evidence of any other tool, with the verdict that the workflow gives. */
export const attestGeneric = defineAttestOperation({
  kind: genericKind,
  inputs: { compliant: required(compliant) },
  gatherTitle: 'Collect the evidence',
  gather: (values): Promise<GenericEvidence> => Promise.resolve({ isCompliant: values.compliant }),
  toDocument: (common, { isCompliant }) => ({ ...common, is_compliant: isCompliant }),
  toResult: createGenericResult,
});

function createGenericResult(attested: Attested<GenericEvidence>): OperationResult {
  const { commit, attestationName, verdict, response } = attested;
  return {
    outcome: verdict,
    conclusion: concludeAttestation(attested),
    response,
    commits: [commit.sha1],
    report: {
      subject: `Evidence ${attestationName}`,
      facts: attestationFacts(attested),
      evidence: attestationEvidence(attested, verdict),
      tables: [],
    },
  };
}
