import type { EndpointResult } from '../client/endpoint-call.ts';
import type { Endpoint } from '../contract/endpoint.ts';

/**
 * The effect of a request; undefined if it is unknown. 201 is always certain. 200 is not if an earlier attempt may have
 * reached the service: that attempt may have created what the last one found.
 */
export function toRequestEffect<Created extends string, Otherwise extends string>(
  { status, earlierArrived }: Pick<EndpointResult<Endpoint>, 'status' | 'earlierArrived'>,
  { created, otherwise }: { readonly created: Created; readonly otherwise: Otherwise },
): Created | Otherwise | undefined {
  if (status === 201) return created;
  return status === 200 && !earlierArrived ? otherwise : undefined;
}
