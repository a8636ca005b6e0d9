import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The variable that names the browser to use. */
export const browserVariable = 'COMPLIANCE_TEST_BROWSER';

/** What is wrong if there is no browser, and the remedy. Each command says before it what it does not do. */
export const noBrowser =
  'No Chromium was found. Install one (on Debian: `apt-get install chromium`), or set ' +
  `${browserVariable} to the path of a Chromium, Chrome or Edge.`;

/** Programs on the path. */
const commands = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

/** Usual places of programs that are not on the path. */
const places: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
};

/**
 * Finds a browser: the one that the variable names, one on the path, one in a usual place, or one that Playwright has
 * downloaded. Undefined if there is none.
 *
 * @throws Error if the variable names a file that does not exist.
 */
export function findBrowser(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const wanted = environment[browserVariable] ?? '';
  if (wanted !== '') {
    if (!existsSync(wanted)) throw new Error(`${browserVariable} names ${wanted}, which does not exist`);
    return wanted;
  }
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = commands.flatMap((command) => folders.map((folder) => join(folder, command)));
  return [...onPath, ...(places[process.platform] ?? []), ...listDownloaded()].find((path) => existsSync(path));
}

function listDownloaded(): readonly string[] {
  const folder = join(homedir(), '.cache', 'ms-playwright');
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).filter((name) => name.startsWith('chromium-'));
  return versions
    .sort()
    .reverse()
    .map((name) => join(folder, name, 'chrome-linux', 'chrome'));
}
