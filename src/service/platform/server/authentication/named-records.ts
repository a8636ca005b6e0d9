import { toTaggedKind } from '../../../../contract/tags.ts';
import { isMapping, textAt } from '../../../../runtime/untrusted-data.ts';
import type { AccessTarget } from '../../../account/access.ts';
import type { RenamedKind } from '../../../naming/rename-records.ts';
import type { ReadTransaction } from '../../database/storage.ts';
import { type ApiError, validationError } from '../errors/api-error.ts';
import type { RouteDependencies } from '../route-dependencies.ts';

/** A flow or environment that the path or the query of a request names. */
export interface NamedRecord {
  readonly kind: RenamedKind;
  /** As errors name it. */
  readonly field: string;
  readonly isInPath: boolean;
  /** Any text, because a request is authenticated before it is validated. */
  readonly name: string;
  /** Changes the request. */
  readonly replace: (name: string) => void;
}

const pathParameters = { flow_name: 'flow', env_name: 'environment' } as const;
const queryParameters = { flow: 'flow', flow_name: 'flow', environment_name: 'environment' } as const;

/** The flows and environments that the parameters of a request name. */
export function listNamedRecords({
  params,
  query,
}: {
  readonly params: unknown;
  readonly query?: unknown;
}): readonly NamedRecord[] {
  const inPath = { ...pathParameters, ...tagParameter(params) };
  return [...listNamed(params, inPath, 'path'), ...listNamed(query, queryParameters, 'query')];
}

/** The path of tags (`/tags/{org}/{type}/{name}`) names the kind of the record, too. */
function tagParameter(params: unknown): Readonly<Record<string, RenamedKind>> {
  const type = textAt(params, 'type');
  return type === undefined ? {} : { name: toTaggedKind(type) };
}

function listNamed(
  values: unknown,
  parameters: Readonly<Record<string, RenamedKind>>,
  place: 'path' | 'query',
): readonly NamedRecord[] {
  if (!isMapping(values)) return [];
  return Object.entries(parameters).flatMap(([parameter, kind]) => {
    const name = textAt(values, parameter);
    const replace = (current: string): void => {
      Reflect.set(values, parameter, current);
    };
    const isInPath = place === 'path';
    return name === undefined || name.includes('\0')
      ? []
      : [{ kind, field: `${place}.${parameter}`, isInPath, name, replace }];
  });
}

/** What a request is about: the flow and the environment of its path. */
export function toTarget(named: readonly NamedRecord[]): AccessTarget {
  const namesOf = (wanted: RenamedKind): readonly string[] | undefined => {
    const names = named.filter(({ kind, isInPath }) => kind === wanted && isInPath).map(({ name }) => name);
    return names.length === 0 ? undefined : names;
  };
  const [flows, environments] = [namesOf('flow'), namesOf('environment')];
  return { ...(flows === undefined ? {} : { flows }), ...(environments === undefined ? {} : { environments }) };
}

/** What a request names, by the current names. */
export interface ResolvedNames {
  readonly named: readonly NamedRecord[];
  /** Why it must not be changed. */
  readonly fault?: ApiError | undefined;
}

export function resolveNames(
  { storage }: Pick<RouteDependencies, 'storage'>,
  org: string,
  named: readonly NamedRecord[],
  changes: boolean,
): Promise<ResolvedNames> {
  return storage.read(async (records) => {
    const current = await followRenames(records, org, named);
    return { named: current, fault: changes ? await findArchived(records, org, current) : undefined };
  });
}

/** Replaces former names by the current ones, unless something else has them now. */
async function followRenames(
  { renames }: Pick<ReadTransaction, 'renames'>,
  org: string,
  named: readonly NamedRecord[],
): Promise<readonly NamedRecord[]> {
  const names = named.map(({ name }) => name);
  const former = await renames.listFormer(org, names);
  return named.map((record) => {
    const found = former.find((one) => one.kind === record.kind && one.former === record.name);
    if (found === undefined) return record;
    record.replace(found.name);
    return { ...record, name: found.name };
  });
}

/** Returns the error if the flow or the environment of the path is archived. */
async function findArchived(
  { naming }: Pick<ReadTransaction, 'naming'>,
  org: string,
  named: readonly NamedRecord[],
): Promise<ApiError | undefined> {
  for (const { kind, field, name } of named.filter(({ isInPath }) => isInPath)) {
    if (!(await naming.isArchived({ org, kind, name }))) continue;
    const article = kind === 'flow' ? 'a' : 'an';
    const remedy = `create the ${kind} again to bring it back, with all its records`;
    return validationError([field, `is ${article} ${kind} that is archived; ${remedy}`]);
  }
  return undefined;
}
