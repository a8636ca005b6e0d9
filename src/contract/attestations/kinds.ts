import type { AttestationJudgement, AttestationKind } from './attestation-kind.ts';
import { genericKind, type GenericAttestation } from './generic.ts';
import { junitKind, type JunitAttestation } from './junit.ts';
import { pullRequestKind, type PullRequestAttestation } from './pull-request.ts';
import { sonarKind, type SonarAttestation } from './sonar.ts';

/** The documents of all kinds of attestations, by the name of the kind. */
export interface AttestationDocuments {
  readonly sonar: SonarAttestation;
  readonly generic: GenericAttestation;
  readonly junit: JunitAttestation;
  readonly pull_request: PullRequestAttestation;
}

/** The name of a kind of attestation. */
export type AttestationType = keyof AttestationDocuments;

/** The document of an attestation of any kind. */
export type AttestationDocument = AttestationDocuments[AttestationType];

export const attestationKinds = [
  sonarKind,
  genericKind,
  junitKind,
  pullRequestKind,
] as const satisfies readonly AttestationKind<AttestationType>[];

/** Whether the text is the name of a kind of attestation. */
export function isAttestationType(word: string): word is AttestationType {
  return attestationKinds.some(({ type }) => type === word);
}

/** The verdict rule of any kind. A method, so that each kind, whose rule takes only its own documents, fits. */
interface Judge {
  judge(document: AttestationDocument): AttestationJudgement;
}

const judges: Readonly<Record<AttestationType, Judge>> = {
  sonar: sonarKind,
  generic: genericKind,
  junit: junitKind,
  pull_request: pullRequestKind,
};

/** Judges an attestation by the rule of its kind. The document must be of that kind. */
export function judgeAttestation(type: AttestationType, document: AttestationDocument): AttestationJudgement {
  return judges[type].judge(document);
}
