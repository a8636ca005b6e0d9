import { join } from 'node:path';
import { installLocked } from '../locked-packages.ts';
import { findBrowser } from './find-browser.ts';
import { browserPackages } from './packages.ts';

// Installs what `npm run test:real` and `npm run screenshots` need besides a browser, from the registry of this
// machine's npm. Without a browser it does nothing, and the command itself says that there is none.

if (findBrowser() !== undefined) {
  installLocked(browserPackages, join(browserPackages.folder, 'node_modules', 'playwright-core', 'package.json'));
}
