import { join } from 'node:path';
import type { LockedPackages } from '../locked-packages.ts';

/** Playwright and axe. They are not dependencies of the project: `npm ci` does not install them. */
export const browserPackages: LockedPackages = {
  name: 'Playwright with axe',
  locked: join(import.meta.dirname, 'locked'),
  folder: join(import.meta.dirname, '..', '..', 'build', 'browser'),
};
