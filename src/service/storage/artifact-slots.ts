import type { ArtifactSources } from './artifacts.ts';
import { toSlots, toSource, type Slots } from './sources.ts';

/** Returns the slots of the records that an artifact and its evidence were read from. */
export function toArtifactSlots({ org, flow, trail, fingerprint, scopes, environments }: ArtifactSources): Slots {
  return toSlots([
    toSource('flows', org, flow),
    toSource('trail_templates', org, flow, trail),
    toSource('artifacts', org, fingerprint),
    ...scopes.map((scope) => toSource('bindings', org, flow, scope)),
    toSource('appearances', org, fingerprint),
    // The last snapshot that shows a running artifact is the environment's latest.
    ...environments.map((environment) => toSource('environments', org, environment)),
  ]);
}
