import { basename } from 'node:path';
import type { NccChunk } from '@vercel/ncc';

/**
 * Names the files of lazily loaded code after the module that they are loaded for: `proxy-agent.index.js`. ncc names
 * them by number.
 *
 * @param scripts the files of the bundle by name
 * @returns the same files under their new names, referring to each other by these
 */
export function nameChunks(
  scripts: ReadonlyMap<string, string>,
  chunks: readonly NccChunk[],
): ReadonlyMap<string, string> {
  const names = new Map<number, string>();
  for (const { id, files = [], origins = [] } of chunks) {
    if (typeof id !== 'number' || !files.includes(`${id}.index.js`)) continue;
    names.set(id, freeName(nameOf(origins), new Set(names.values())));
  }
  return new Map(
    [...scripts].map(([file, script]) => {
      const id = /^(\d+)\.index\.js$/u.exec(file)?.[1];
      const name = id === undefined ? undefined : names.get(Number(id));
      return [name === undefined ? file : `${name}.index.js`, withNames(script, names)];
    }),
  );
}

/** The module that a chunk is loaded for; undefined if several chunks share it. */
function nameOf(origins: NonNullable<NccChunk['origins']>): string {
  const modules = new Set(origins.map(({ request = '' }) => basename(request).replace(/\.[cm]?[jt]s$/u, '')));
  const [name = ''] = modules;
  return modules.size === 1 && name !== '' ? name : 'shared';
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
  return free;
}

/** webpack's function that returns the file of a chunk number. */
const fileOfChunk = /return "" \+ chunkId \+ "\.index\.js";/u;

function withNames(script: string, names: ReadonlyMap<number, string>): string {
  const table = JSON.stringify(Object.fromEntries(names));
  return script.replace(fileOfChunk, () => `return ${table}[chunkId] + ".index.js";`);
}
