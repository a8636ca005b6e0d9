import { fingerprintAt, type FilledService } from './filled-service.ts';
import { generateLoad, defaultLoad } from './measure-service.ts';
import { getArtifactRequest } from './requests.ts';
import { withoutTarget, type Row } from './row.ts';
import { milliseconds, perSecond } from './units.ts';

/**
 * Operation 10 for one artifact after another. There are more of them than the service caches.
 *
 * @param directory for the settings of the load generator
 * @param artifacts how many artifacts the service has
 */
export function measureUncachedArtifacts(
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
  return withoutTarget({
    what: 'service: get-artifact, each of 10,000 in turn',
    figure: `${perSecond(rate)}, half within ${milliseconds(p50)}`,
  });
}
