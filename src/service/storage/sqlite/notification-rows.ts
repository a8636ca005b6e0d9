import type { NotificationTarget } from '../../../contract/notification.ts';
import type { SigningSecret } from '../../domain/webhook-secret.ts';
import { text, type Row } from './rows.ts';

/** A target that this service wrote, and checked before it did. */
export function toTarget(row: Row): NotificationTarget {
  return JSON.parse(text(row, 'target')) as NotificationTarget;
}

/** Secrets that this service wrote. */
export function toSecrets(row: Row): readonly SigningSecret[] {
  return JSON.parse(text(row, 'signing_secrets')) as readonly SigningSecret[];
}

/** The number in a column; undefined if it is null. */
export function optionalNumber(row: Row, column: string): number | undefined {
  return typeof row[column] === 'number' ? row[column] : undefined;
}
