import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NccModule } from '@vercel/ncc';
import { textAt } from '../../src/runtime/untrusted-data.ts';

/**
 * The packages whose modules are in the bundle, as folders relative to the project, sorted. ncc can list them only for
 * one of several files.
 */
export function packagesOf({ modules = [] }: { readonly modules?: readonly NccModule[] }): readonly string[] {
  const folders = new Set<string>();
  const visit = ({ identifier = '', modules: inner = [] }: NccModule): void => {
    const folder = /^.*?[\\/](node_modules[\\/](?:.*[\\/]node_modules[\\/])?(?:@[^\\/]+[\\/])?[^\\/|!]+)/u.exec(
      pathOf(identifier),
    )?.[1];
    if (folder !== undefined) folders.add(folder.replaceAll('\\', '/'));
    inner.forEach(visit);
  };
  modules.forEach(visit);
  return [...folders].sort();
}

/** webpack writes the loaders of a module before its path, separated by exclamation marks. */
function pathOf(identifier: string): string {
  return identifier.slice(identifier.lastIndexOf('!') + 1);
}

/** The licence of llhttp: undici contains it as WebAssembly, without its licence. */
const llhttpLicence = new URL('llhttp-licence.txt', import.meta.url);

/** The licences of packages and of llhttp: each text once, below the names of its packages. */
export async function licencesOf(folders: readonly string[], root: string): Promise<string> {
  const packagesByText = new Map([[(await readFile(llhttpLicence, 'utf8')).trim(), ['llhttp, in undici (MIT)']]]);
  for (const folder of folders) {
    const { title, text } = await licenceOf(join(root, folder));
    packagesByText.set(text, [...(packagesByText.get(text) ?? []), title]);
  }
  return [...packagesByText]
    .map(([text, titles]) => `${titles.join('\n')}\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

interface Licence {
  /** `undici 7.30.2 (MIT)`. */
  readonly title: string;
  /** Empty if the package names its licence but has no file with the text. */
  readonly text: string;
}

async function licenceOf(folder: string): Promise<Licence> {
  const description: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const title = `${textAt(description, 'name') ?? ''} ${textAt(description, 'version') ?? ''}`;
  const kind = textAt(description, 'license');
  const file = (await readdir(folder)).sort().find((name) => /^licen[cs]e/iu.test(name));
  const text = file === undefined ? '' : await readFile(join(folder, file), 'utf8');
  if (kind === undefined && text === '') throw new Error(`${title} has no licence, so it cannot be bundled`);
  return { title: `${title} (${kind ?? 'see below'})`, text: text.replaceAll('\r\n', '\n').trim() };
}
