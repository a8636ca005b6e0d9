import { getArtifact } from './artifact.ts';
import { attestSonar } from './attestation.ts';
import type { Endpoint } from './endpoint.ts';
import { createFlow } from './flow.ts';

/** The endpoints of the interface, in its order. */
export const endpoints: readonly Endpoint[] = [createFlow, attestSonar, getArtifact];
