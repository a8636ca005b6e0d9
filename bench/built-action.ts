import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', 'dist');

/** The file that a runner executes. */
export const distFile = join(folder, 'index.js');

/** Whether the action has been built. */
export function isBuilt(): boolean {
  return existsSync(distFile);
}

/** The size of dist/, which a runner downloads with the action, in bytes. */
export function distBytes(): number {
  return readdirSync(folder).reduce((total, name) => total + statSync(join(folder, name)).size, 0);
}
