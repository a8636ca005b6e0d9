import { optional, withDefault } from './input.ts';
import { oneOf, text } from './input-types.ts';

/** What to do with evidence that cannot be delivered. It decides whether the step passes, so no variable sets it. */
export const onOutage = oneOf('on-outage', ['fail', 'keep']);

/** The folder of a spool; of several, for `replay`. */
export const spoolPath = text('spool-path');

/** The inputs of every operation that records evidence. Declaring them is what allows `on-outage: keep`. */
export const deliveryInputs = {
  onOutage: withDefault(onOutage, 'fail'),
  spoolPath: optional(spoolPath),
} as const;
