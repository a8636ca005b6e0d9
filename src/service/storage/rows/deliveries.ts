import { triggers, type Trigger } from '../../../contract/notification.ts';
import type { EnvironmentEvent } from '../../domain/environment-event.ts';
import type { Delivery, DueTarget } from '../../domain/notifications.ts';
import type { ListeningTarget, WaitingTarget } from '../deliveries.ts';
import type { TargetReference } from '../notifications.ts';
import { number, text, toSecrets, toTarget, type Row } from '../rows.ts';

function toReference(row: Row): TargetReference {
  return { org: text(row, 'org'), number: number(row, 'number'), position: number(row, 'position') };
}

function toTrigger(row: Row): Trigger {
  const trigger = triggers.find((known) => known === row['trigger']);
  if (trigger === undefined) throw new TypeError('a stored trigger is damaged');
  return trigger;
}

/** Converts a row to a target that listens to an environment. */
export function toListeningTarget(row: Row): ListeningTarget {
  return { ...toReference(row), trigger: toTrigger(row) };
}

/** Converts a row to a target with a delivery that is due. `failing` is 0 or 1. */
export function toDueTarget(row: Row): DueTarget {
  return { ...toReference(row), failing: number(row, 'failing') === 1 };
}

/** Converts a row to a target with waiting deliveries. */
export function toWaitingTarget(row: Row): WaitingTarget {
  return { ...toReference(row), dueAt: number(row, 'due_at'), attempts: number(row, 'attempts') };
}

/** Converts a row to a delivery. */
export function toDelivery(row: Row): Delivery {
  return {
    ...toReference(row),
    sequence: number(row, 'sequence'),
    target: toTarget(row),
    event: JSON.parse(text(row, 'event')) as EnvironmentEvent,
    attempts: number(row, 'attempts'),
    secrets: toSecrets(row),
  };
}
