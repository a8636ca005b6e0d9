import {
  deleteGithubGate,
  getGithubGate,
  githubAppMissing,
  githubGateNotFound,
  githubGateOverlaps,
  githubInstallationForeign,
  listGithubGates,
  maximumGithubGates,
  saveGithubGate,
} from '../../contract/github-gate.ts';
import { actorName } from '../account/access.ts';
import { requireRole } from '../platform/server/authentication/authentication.ts';
import { ApiError, validationError } from '../platform/server/errors/api-error.ts';
import { addRoute, type RouteHost } from '../platform/server/route.ts';
import type { RouteDependencies } from '../platform/server/route-dependencies.ts';
import { withDefaults } from './gate.ts';
import { deleteGate, type GateToSave, saveGate, type SaveGateResult } from './gate-use-cases.ts';

export function addGithubGateRoutes(host: RouteHost, dependencies: RouteDependencies): void {
  const administer = requireRole(dependencies, 'administer');

  addRoute(host, listGithubGates, administer, async ({ parameters: { org } }) => {
    const body = await dependencies.storage.read(({ githubGates }) => githubGates.list(org));
    return { status: 200, body: [...body] };
  });

  addRoute(host, getGithubGate, administer, async ({ parameters: { org, gate } }) => {
    const body = await dependencies.storage.read(({ githubGates }) => githubGates.find(org, gate));
    if (body === undefined) throw new ApiError(githubGateNotFound, { values: { org, gate } });
    return { status: 200, body };
  });

  addRoute(host, saveGithubGate, administer, ({ caller, parameters: { org, gate: name }, document, carryOut }) => {
    const wanted = { org, name, declaration: withDefaults(document), by: actorName(caller) };
    return carryOut(saveGate, dependencies, wanted, (saved) => {
      if (!('gate' in saved)) throw toSaveError(saved, wanted);
      return { status: saved.outcome === 'created' ? 201 : 200, body: saved.gate };
    });
  });

  addRoute(host, deleteGithubGate, administer, ({ caller, parameters: { org, gate: name }, carryOut }) =>
    carryOut(deleteGate, dependencies, { org, name, by: actorName(caller) }, (result) => {
      if (result === 'not found') throw new ApiError(githubGateNotFound, { values: { org, gate: name } });
      return { status: 200, body: result };
    }),
  );
}

function toSaveError(
  result: Exclude<SaveGateResult, { readonly gate: unknown }>,
  { org, declaration }: GateToSave,
): ApiError {
  switch (result.outcome) {
    case 'too many gates':
      return validationError(['path.gate', `is new, but there are already ${maximumGithubGates} gates`]);
    case 'no app':
      return new ApiError(githubAppMissing);
    case 'foreign installation':
      return new ApiError(githubInstallationForeign, {
        values: { org, installation: String(declaration.installation_id) },
      });
    case 'overlaps':
      return new ApiError(githubGateOverlaps, { values: { ...result.overlap } });
  }
}
