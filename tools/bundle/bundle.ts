import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ncc from '@vercel/ncc';
import { nameChunks } from './chunk-names.ts';
import { licencesOf, packagesOf } from './licences.ts';
import { shrink } from './shrink.ts';

const root = join(import.meta.dirname, '..', '..');
const substitutes = join(import.meta.dirname, 'substitutes');

/** The built action, which runners download. */
export const dist = join(root, 'dist');

/** How the action is bundled. */
export interface BundleOptions {
  /** Bundles every package as it is, without the substitutes. */
  readonly plain?: boolean;
}

/**
 * Replaces imports that a tsconfig cannot map, because they are relative or name a module of Node.js: by a separate
 * file, or by a name that cannot be loaded.
 */
const replacedRequests: Readonly<Record<string, string>> = {
  // Half of `fetch`, which undici's client loads to send a FormData. Left out to make the download smaller.
  '../web/fetch/body.js': 'undici/left-out-of-the-bundle/lib/web/fetch/body.js',
  // The parser for machines without SIMD in WebAssembly, in a separate file that other machines do not load.
  '../llhttp/llhttp-wasm.js': './llhttp-wasm.js',
  '../llhttp/constants.js': inlined('undici-parser-constants.cjs'),
  './client-h2.js': inlined('undici-client-h2.cjs'),
  './socks5-proxy-agent': inlined('undici-socks5-proxy-agent.cjs'),
  crypto: inlined('node-crypto.cjs'),
  fs: inlined('node-fs.cjs'),
  https: inlined('node-https.cjs'),
};

const llhttp = join(root, 'node_modules', 'undici', 'lib', 'llhttp', 'llhttp-wasm.js');

function inlined(file: string): string {
  return `inlined/${file}`;
}

/**
 * Bundles the action with its packages and their licences. Returns files by name. The bundle is CommonJS, which Node.js
 * loads about 2 ms faster than ES modules. Code that an operation does not need is in files that it does not load.
 */
export async function bundle({ plain = false }: BundleOptions = {}): Promise<ReadonlyMap<string, Buffer>> {
  // The only way to tell ncc which modules to replace: tsconfig-paths, which it contains, reads this variable.
  if (plain) delete process.env['TS_NODE_PROJECT'];
  else process.env['TS_NODE_PROJECT'] = join(substitutes, 'tsconfig.json');
  const { code, assets, stats } = await ncc(join(import.meta.dirname, 'entry', 'main.ts'), {
    cache: false,
    quiet: true,
    esm: false,
    transpileOnly: true,
    externals: plain ? {} : replacedRequests,
  });
  const description = stats.toJson({
    all: false,
    chunks: true,
    chunkOrigins: true,
    ids: true,
    modules: true,
    nestedModules: true,
    modulesSpace: Infinity,
  });
  const scripts = nameChunks(
    new Map([
      ['index.js', code],
      ...Object.entries(assets).map(([name, { source }]) => [name, source.toString()] as const),
    ]),
    description.chunks ?? [],
  );
  const files = new Map<string, Buffer>();
  for (const [name, script] of scripts) files.set(name, Buffer.from(await shrink(await withInlined(script))));
  if (!plain) files.set('llhttp-wasm.js', Buffer.from(await shrink(await readFile(llhttp, 'utf8'))));
  // The bundle also contains ncc's own code, which loads the files.
  const packages = [...packagesOf(description), 'node_modules/@vercel/ncc'].sort();
  files.set('licenses.txt', Buffer.from(await licencesOf(packages, root)));
  files.set('package.json', Buffer.from('{ "type": "commonjs" }\n'));
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Inlines the substitutes of Node's modules, because reading another file takes about 1 ms of a step. */
async function withInlined(script: string): Promise<string> {
  let text = script;
  for (const [request, file] of script.matchAll(/require\("inlined\/([\w.-]+)"\)/gu)) {
    const content = await readFile(join(substitutes, file ?? ''), 'utf8');
    text = text.replace(
      request,
      () => `(() => { const module = { exports: {} }; ${content}; return module.exports; })()`,
    );
  }
  return text;
}
