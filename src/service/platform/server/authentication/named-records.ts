import type { FastifyRequest } from 'fastify';
import { textAt } from '../../../../runtime/untrusted-data.ts';
import type { AccessTarget } from '../../../account/access.ts';
import type { ReadTransaction } from '../../database/storage.ts';
import { validationError } from '../errors/api-error.ts';

/** A flow or environment that the path of a request names. */
export interface NamedRecord {
  readonly kind: 'flow' | 'environment';
  readonly parameter: 'flow_name' | 'env_name';
  /** Any text, because a request is authenticated before it is validated. */
  readonly name: string;
}

/** The `{flow_name}` and `{env_name}` of the path. */
export function listNamedRecords({ params }: Pick<FastifyRequest, 'params'>): readonly NamedRecord[] {
  const [flow, environment] = [textAt(params, 'flow_name'), textAt(params, 'env_name')];
  return [
    ...(flow === undefined ? [] : [{ kind: 'flow', parameter: 'flow_name', name: flow } as const]),
    ...(environment === undefined ? [] : [{ kind: 'environment', parameter: 'env_name', name: environment } as const]),
  ];
}

/** What a request is about that names these. */
export function toTarget(named: readonly NamedRecord[]): AccessTarget {
  const namesOf = (wanted: NamedRecord['kind']): readonly string[] | undefined => {
    const names = named.filter(({ kind }) => kind === wanted).map(({ name }) => name);
    return names.length === 0 ? undefined : names;
  };
  const [flows, environments] = [namesOf('flow'), namesOf('environment')];
  return { ...(flows === undefined ? {} : { flows }), ...(environments === undefined ? {} : { environments }) };
}

/** @throws ApiError if one of them is archived. */
export async function requireNotArchived(
  { naming }: Pick<ReadTransaction, 'naming'>,
  org: string,
  named: readonly NamedRecord[],
): Promise<void> {
  for (const { kind, parameter, name } of named) {
    if (name.includes('\0') || !(await naming.isArchived(org, kind, name))) continue;
    const article = kind === 'flow' ? 'a' : 'an';
    const remedy = `create the ${kind} again to bring it back, with all its records`;
    throw validationError([`path.${parameter}`, `is ${article} ${kind} that is archived; ${remedy}`]);
  }
}
