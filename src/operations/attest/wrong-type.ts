import { attestationKinds, findKind } from '../../contract/attestations/kinds.ts';
import type { FailureText } from '../../runtime/failure.ts';

/** Says that an attestation does not satisfy the template, which requires another type for its name. */
export function describeWrongType(name: string, type: string, requiredType: string): FailureText {
  // The operation of a kind with several types records the first.
  const kind = attestationKinds.find(
    ({ name: kindName, types: [first = requiredType] }) =>
      kindName === findKind(requiredType) && first === requiredType,
  );
  const inTemplate = `require the type ${type} for it in the template`;
  return {
    what: `${name} is recorded as ${type}; ${requiredType} is required by the template`,
    remedy:
      kind === undefined
        ? `To accept it, ${inTemplate}.`
        : `Record it with \`${kind.endpoint.operation}\`, or ${inTemplate}.`,
  };
}
