import type { AttestationJudgement } from '../../contract/attestations/attestation-kind.ts';
import { type CustomAttestation, customTypePrefix } from '../../contract/attestations/custom.ts';
import { maximumCustomTypes, maximumCustomTypeVersions } from '../../contract/limits.ts';
import { unixSeconds } from '../../runtime/clock.ts';
import type { WriteTransaction } from '../platform/database/storage.ts';
import { carryOutOnce, type KeyedRequest, type OnceResult } from '../platform/idempotency/carry-out-once.ts';
import { defineWrite } from '../platform/judging/define-write.ts';
import type { UseCaseDependencies } from '../platform/judging/use-case-dependencies.ts';
import type { CustomType, CustomTypeDefinition } from './custom-type.ts';
import type { DefinitionFault } from './judge-data.ts';

type Dependencies = Pick<UseCaseDependencies, 'storage' | 'judging' | 'now'>;

interface CustomTypeReference {
  readonly org: string;
  readonly name: string;
}

export interface CustomTypeToSave extends CustomTypeReference {
  /** Unchanged if undefined. */
  readonly description: string | undefined;
  readonly definition: CustomTypeDefinition;
  readonly by: string;
}

type SaveCustomTypeResult = 'saved' | 'too many types' | 'too many versions' | readonly DefinitionFault[];

/** Adds a version to a new or existing custom type. Evidence on record keeps the verdict of its own version. */
export async function saveCustomType(
  dependencies: Dependencies,
  { org, name, description, definition, by }: CustomTypeToSave,
  request?: KeyedRequest<SaveCustomTypeResult>,
): Promise<OnceResult<SaveCustomTypeResult>> {
  const faults = await dependencies.judging.data.check(org, definition);
  if (faults.length > 0) return faults;
  const at = unixSeconds(dependencies.now());
  const save = async ({ customTypes, auditLog }: WriteTransaction): Promise<SaveCustomTypeResult> => {
    const latest = await customTypes.findVersion(org, name);
    if (latest === undefined && (await customTypes.count(org)) >= maximumCustomTypes) return 'too many types';
    const version = (latest?.version ?? 0) + 1;
    if (version > maximumCustomTypeVersions) return 'too many versions';
    await customTypes.insertVersion({ org, name, description, version, definition, createdAt: at, createdBy: by });
    const details = { version: String(version) };
    await auditLog.append({ org, type: 'attestation_type_saved', at, actor: by, subject: toSubject(name), details });
    return 'saved';
  };
  return dependencies.storage.transaction(org, carryOutOnce(dependencies, request, save));
}

const toSubject = (name: string): string => `attestation type ${name}`;

/** Archives a custom type: evidence of it is refused until it gets a new version. Does nothing if it is archived. */
export const archiveCustomType = defineWrite(
  async (
    { customTypes, auditLog },
    { org, name, by }: CustomTypeReference & { readonly by: string },
    { at },
  ): Promise<'archived' | 'type not found'> => {
    const found = await customTypes.findHead(org, name);
    if (found === undefined) return 'type not found';
    if (found.isArchived) return 'archived';
    await customTypes.archive(org, name);
    const event = { org, type: 'attestation_type_archived', at, actor: by, subject: toSubject(name) } as const;
    await auditLog.append({ ...event, details: {} });
    return 'archived';
  },
);

export type CustomTypeObstacle = 'type not found' | 'type archived';

/** Finds a custom type, with all versions or with one. */
export function findCustomType(
  { storage }: Pick<Dependencies, 'storage'>,
  { org, name, version }: CustomTypeReference & { readonly version: number | undefined },
): Promise<CustomType | CustomTypeObstacle | 'version not found'> {
  return storage.read(async ({ customTypes }) => {
    const head = await customTypes.findHead(org, name);
    if (head === undefined) return 'type not found';
    if (head.isArchived) return 'type archived';
    if (version === undefined) return { ...head, versions: await customTypes.listVersions(org, name) };
    const found = await customTypes.findVersion(org, name, version);
    return found === undefined ? 'version not found' : { ...head, versions: [found] };
  });
}

export interface JudgedCustom<Document> {
  readonly document: Document;
  readonly judgement: AttestationJudgement;
}

/** Judges a custom attestation by the latest version of its type. */
export async function judgeCustom<Document extends CustomAttestation>(
  { storage, judging }: Pick<Dependencies, 'storage' | 'judging'>,
  org: string,
  document: Document,
): Promise<JudgedCustom<Document> | CustomTypeObstacle> {
  const { type_name: name, attestation_data: data } = document;
  const found = await storage.read(async ({ customTypes }) => {
    const head = await customTypes.findHead(org, name);
    if (head === undefined) return 'type not found';
    return head.isArchived ? 'type archived' : customTypes.findVersion(org, name);
  });
  if (typeof found === 'string') return found;
  if (found?.definition === undefined) return 'type not found';
  const { version, definition } = found;
  const { faults, summary } = await judging.data.judge(org, { definition, data: JSON.stringify(data) });
  const rule = `version ${version} of ${customTypePrefix}${name}`;
  return {
    document: { ...document, type_version: version, summary },
    judgement: {
      verdict: faults.length === 0 ? 'compliant' : 'non-compliant',
      reason: faults.length === 0 ? `it satisfies ${rule}` : `it does not satisfy ${rule}`,
      faults: faults.map((fault) => ({ ...fault, rule })),
    },
  };
}
