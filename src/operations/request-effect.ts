import type { Answered } from '../client/client.ts';
import type { Endpoint } from '../contract/endpoint.ts';

/** The words for what a request did, by the status of its answer. */
export interface EffectWords<Created extends string, Otherwise extends string> {
  /** 201. */
  readonly created: Created;
  /** 200. */
  readonly otherwise: Otherwise;
}

/**
 * The word for what a call did; undefined if its answer does not say. 201 always does: what the last attempt created was
 * not there before. 200 after an attempt that may have been carried out is about what that attempt left behind.
 */
export function toRequestEffect<Created extends string, Otherwise extends string>(
  { status, earlierArrived }: Pick<Answered<Endpoint>, 'status' | 'earlierArrived'>,
  { created, otherwise }: EffectWords<Created, Otherwise>,
): Created | Otherwise | undefined {
  if (status === 201) return created;
  return status === 200 && !earlierArrived ? otherwise : undefined;
}
