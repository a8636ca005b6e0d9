import { type FilledService, fingerprintAt } from './filled-service.ts';
import { defaultLoad, generateLoad } from './measure-service.ts';
import { getArtifactRequest } from './requests.ts';
import { type Row, withTarget } from './row.ts';
import { milliseconds, perSecond } from './units.ts';

/**
 * Operation 10 for one artifact after another.
 *
 * @param directory for the settings of the load generator
 * @param artifacts how many artifacts the service has
 */
export function measureArtifactsInTurn(
  { directory }: { readonly directory: string },
  filled: FilledService,
  artifacts: number,
): Row {
  const requests = Array.from({ length: artifacts }, (_, place) => getArtifactRequest(filled, fingerprintAt(place)));
  const { perSecond: rate, p50 } = generateLoad(directory, {
    ...defaultLoad,
    port: filled.port,
    requests,
    status: 200,
  });
  const row = {
    what: 'service: get-artifact, each of 10,000 in turn',
    figure: `${perSecond(rate)}, half within ${milliseconds(p50)}`,
  };
  return withTarget(row, rate, { better: 'higher', mustReach: 2000, aimFor: 2000 }, perSecond);
}
