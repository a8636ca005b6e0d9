import type { AttestationJudgement, AttestationKind } from './attestation-kind.ts';
import { customKind, customTypePrefix, type CustomAttestation } from './custom.ts';
import { genericKind, type GenericAttestation } from './generic.ts';
import { jiraKind, type JiraAttestation } from './jira.ts';
import { junitKind, type JunitAttestation } from './junit.ts';
import { pullRequestKind, type PullRequestAttestation } from './pull-request.ts';
import { snykKind, type SnykAttestation } from './snyk.ts';
import { sonarKind, type SonarAttestation } from './sonar.ts';
import { systemKind, type SystemAttestation } from './system.ts';

/** The documents of all kinds of attestations, by the name of the kind. */
export interface AttestationDocuments {
  readonly sonar: SonarAttestation;
  readonly generic: GenericAttestation;
  readonly junit: JunitAttestation;
  readonly pull_request: PullRequestAttestation;
  readonly snyk: SnykAttestation;
  readonly jira: JiraAttestation;
  readonly system: SystemAttestation;
  readonly custom: CustomAttestation;
}

export type KindName = keyof AttestationDocuments;

export type AttestationDocument = AttestationDocuments[KindName];

export const attestationKinds = [
  sonarKind,
  genericKind,
  junitKind,
  pullRequestKind,
  snykKind,
  jiraKind,
  systemKind,
  customKind,
] as const satisfies readonly AttestationKind<KindName>[];

/** The kind that records evidence of this type; undefined if there is none. */
export function findKind(type: string): KindName | undefined {
  if (type.startsWith(customTypePrefix)) return 'custom';
  return attestationKinds.find(({ types }) => types.includes(type))?.name;
}

/** The rules of any kind. Methods, so that each kind, whose rules take only its own documents, fits. */
interface KindRules {
  typeOf(document: AttestationDocument): string;
  judge(document: AttestationDocument): AttestationJudgement;
}

const rules: Readonly<Record<KindName, KindRules>> = {
  sonar: sonarKind,
  generic: genericKind,
  junit: junitKind,
  pull_request: pullRequestKind,
  snyk: snykKind,
  jira: jiraKind,
  system: systemKind,
  custom: customKind,
};

/** The rules of a kind. The documents that they get must be of that kind. */
export function rulesOf(kind: KindName): KindRules {
  return rules[kind];
}
