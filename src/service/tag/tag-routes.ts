import { changeTags, maximumTags, toTaggedKind } from '../../contract/tags.ts';
import { actorName } from '../account/access.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { namedRecordMissing, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import * as useCases from './tag-use-cases.ts';

export function addTagRoute(host: RouteHost, dependencies: RouteDependencies): void {
  addRoute(host, changeTags, requireRole(dependencies, 'define'), (received) => {
    const { caller, parameters, document, carryOut } = received;
    const { org, type, name } = parameters;
    const kind = toTaggedKind(type);
    const { set_tags: set, remove_tags: remove } = document;
    const change = { org, kind, name, set, remove: remove ?? [], by: actorName(caller) } as const;
    return carryOut(useCases.changeTags, dependencies, change, (result) => {
      if (result === 'too many') throw validationError(['set_tags', `must leave no more than ${maximumTags} tags`]);
      if (result === 'changed') return { status: 200, body: 'OK' };
      throw namedRecordMissing({ org, kind, name });
    });
  });
}
