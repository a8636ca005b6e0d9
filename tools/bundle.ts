import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ncc from '@vercel/ncc';
import { licencesOf, packagesOf } from './licences.ts';
import { shrink } from './shrink.ts';

const root = join(import.meta.dirname, '..');

/** The folder that a runner downloads with the action. */
export const dist = join(root, 'dist');

/** What is left out of the bundle, by the text that asks for it, and what is asked for instead. */
const leftOut: Readonly<Record<string, string>> = {
  // Loading it takes 4 to 6 ms of every step. undici takes a failure to load it for a Node without HTTP/2, and offers
  // HTTP/1.1 only; it is never told to do otherwise.
  'node:http2': 'node:http2/left-out-of-the-bundle',
  // What undici's client would load to send a FormData; bodies are bytes and streams here. It brings half of `fetch`.
  '../web/fetch/body.js': 'undici/left-out-of-the-bundle/lib/web/fetch/body.js',
  // The parser for machines without vector instructions in WebAssembly: a file of its own, so that no other has to read it.
  '../llhttp/llhttp-wasm.js': './llhttp-wasm.js',
  // form-data and @actions/http-client would load all of TLS and its cryptography to send requests of their own. What is
  // used of Node's cryptography is asked for as `node:crypto`.
  https: './left-out.js',
  crypto: './left-out.js',
  // Packages that others ask for, and of which a step needs nothing (left-out.cjs).
  undici: './left-out.js',
  'mime-types': './left-out.js',
  '@octokit/plugin-rest-endpoint-methods': './left-out.js',
};

/** The files of the bundle that are not made by the bundler, and what they are made of. */
const added: Readonly<Record<string, string>> = {
  'llhttp-wasm.js': join(root, 'node_modules', 'undici', 'lib', 'llhttp', 'llhttp-wasm.js'),
  'left-out.js': join(import.meta.dirname, 'left-out.cjs'),
};

/**
 * Bundles the action with everything it contains, and the licences of that, into files by name. It is CommonJS, which Node
 * loads about 2 ms faster than an ES module; what an operation does not need is in files that it does not load.
 */
export async function bundle(): Promise<ReadonlyMap<string, Buffer>> {
  const { code, assets, stats } = await ncc(join(root, 'src', 'main.ts'), {
    cache: false,
    quiet: true,
    esm: false,
    transpileOnly: true,
    externals: leftOut,
  });
  const scripts = new Map<string, string>([
    ['index.js', code],
    ...Object.entries(assets).map(([name, { source }]) => [name, source.toString()] as const),
  ]);
  for (const [name, path] of Object.entries(added)) scripts.set(name, await readFile(path, 'utf8'));
  const files = new Map<string, Buffer>();
  for (const [name, script] of scripts) files.set(name, Buffer.from(await shrink(script)));
  const modules = stats.toJson({ all: false, modules: true, nestedModules: true, modulesSpace: Infinity });
  // The bundler's own part, which loads the files, is in the bundle too.
  const packages = [...packagesOf(modules), 'node_modules/@vercel/ncc'].sort();
  files.set('licenses.txt', Buffer.from(await licencesOf(packages, root)));
  files.set('package.json', Buffer.from('{ "type": "commonjs" }\n'));
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)));
}
