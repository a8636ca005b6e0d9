import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { codeWordsOf, tablesOf } from '../support/markdown.ts';
import { readText, root } from '../support/repository.ts';

const page = readText('docs/contributing/architecture.md');
const lintConfiguration = readText('eslint.config.js');

/** The entries `name: ['a', 'b']` of an object in the linter's configuration, with sorted values. */
function declaredEntries(object: string): ReadonlyMap<string, readonly string[]> {
  const body = new RegExp(`const ${object} = \\{\\n(.*?)\\n\\};`, 'su').exec(lintConfiguration)?.[1] ?? '';
  const entries = [...body.matchAll(/^ {2}'?([\w@/:-]+)'?: \[(.*?)\],$/gmsu)];
  return new Map(entries.map(([, name = '', list = '']) => [name, wordsOf(/'([^']+)'/gu, list)]));
}

/** The rows of a table of the page: the first column, and the sorted code words of the last one. */
function documentedEntries(firstColumn: string): ReadonlyMap<string, readonly string[]> {
  const rows = tablesOf(page).find(({ columns }) => columns[0] === firstColumn)?.rows ?? [];
  return new Map(rows.map((row) => [codeWordsOf(row[0] ?? '')[0] ?? '', wordsOf(/`([^`]+)`/gu, row.at(-1) ?? '')]));
}

function wordsOf(pattern: RegExp, text: string): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, word]) => word ?? []).sort();
}

/** The layers of the linter's configuration, those of the service or those of the action. */
function declaredLayers(isOfService: boolean): ReadonlyMap<string, readonly string[]> {
  const layers = [...declaredEntries('layerDependencies')];
  return new Map(layers.filter(([layer]) => /^service\b/u.test(layer) === isOfService));
}

function withoutPrefix(layer: string): string {
  return layer.replace(/^service-/u, '');
}

describe('the page about the architecture', () => {
  it('has the layers of the action, and what each may import', () => {
    const declared = [...declaredLayers(false)].map(
      ([layer, imports]) => [layer === 'main' ? 'main.ts' : layer, imports] as const,
    );
    expect(declared).not.toEqual([]);
    expect(documentedEntries('Layer of the action')).toEqual(new Map(declared));
  });

  it('has the layers of the service, and what each may import', () => {
    const common = ['contract', 'runtime'];
    const declared = [...declaredLayers(true)].map(([layer, imports]) => {
      // The heading of the column says that every layer may import these two.
      expect(imports).toEqual(expect.arrayContaining(common));
      const others = imports.filter((name) => !common.includes(name));
      return [withoutPrefix(layer), others.map(withoutPrefix).sort()] as const;
    });
    // The row of this layer says that it imports all the others.
    const all = new Map(declared);
    const others = [...all.keys()].filter((layer) => layer !== 'service').sort();
    expect(all.get('service')).toEqual(others);
    expect(documentedEntries('Layer of the service')).toEqual(all.set('service', []));
  });

  it('says which packages a layer may use', () => {
    const uses = [...declaredEntries('packageUsers')].flatMap(([name, layers]) =>
      layers.map((layer) => ({ name, layer })),
    );
    const byLayer = Map.groupBy(uses, ({ layer }) => withoutPrefix(layer));
    const declared = new Map([...byLayer].map(([layer, used]) => [layer, used.map(({ name }) => name).sort()]));
    expect(declared.size).toBeGreaterThan(0);
    expect(documentedEntries('Layer')).toEqual(declared);
  });

  it('names every folder of the service, and no other as a concept', () => {
    const sentence = /^In the service, a folder is a concept: .*? The name/msu.exec(page)?.[0] ?? '';
    const folders = readdirSync(join(root, 'src/service'), { withFileTypes: true }).filter((one) => one.isDirectory());
    expect(wordsOf(/`([^`]+)`/gu, sentence)).toEqual(folders.map(({ name }) => name).sort());
  });
});
