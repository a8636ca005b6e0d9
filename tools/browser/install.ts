import { join } from 'node:path';
import { installLocked } from '../locked-packages.ts';
import { findBrowser, noBrowser } from './find-browser.ts';
import { browserPackages } from './packages.ts';

// Installs what `npm run test:pages` and `npm run screenshots` need besides a browser, from the registry of this
// machine's npm.

if (findBrowser() === undefined) console.log(noBrowser);
else installLocked(browserPackages, join(browserPackages.folder, 'node_modules', 'playwright-core', 'package.json'));
