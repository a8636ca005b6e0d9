import type { AttestationJudgement, AttestationKind } from './attestation-kind.ts';
import { type CustomAttestation, customKind, customTypePrefix } from './custom.ts';
import { genericKind } from './generic.ts';
import { jiraKind } from './jira.ts';
import { junitKind } from './junit.ts';
import { pullRequestKind } from './pull-request.ts';
import { snykKind } from './snyk.ts';
import { sonarKind } from './sonar.ts';
import { systemKind } from './system.ts';

export const attestationKinds = [
  sonarKind,
  genericKind,
  junitKind,
  pullRequestKind,
  snykKind,
  jiraKind,
  systemKind,
  customKind,
] as const satisfies readonly AttestationKind[];

type Kind = (typeof attestationKinds)[number];

export type KindName = Kind['name'];

/** The documents that the kinds judge, by the name of the kind; a custom one with what the service adds. */
export type AttestationDocuments = {
  readonly [Name in Exclude<KindName, 'custom'>]: Parameters<Extract<Kind, { name: Name }>['judge']>[0];
} & { readonly custom: CustomAttestation };

export type AttestationDocument = AttestationDocuments[KindName];

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

/** The rules of a kind. The documents that they get must be of that kind. */
export function rulesOf(kind: KindName): KindRules {
  const found: KindRules | undefined = attestationKinds.find(({ name }) => name === kind);
  if (found === undefined) throw new TypeError(`there is no kind ${kind}`);
  return found;
}
