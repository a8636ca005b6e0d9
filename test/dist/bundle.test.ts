import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createSourceFile,
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isStringLiteralLike,
  isTemplateHead,
  isTemplateMiddleOrTemplateTail,
  isTypeNode,
  type Node,
  ScriptTarget,
  SyntaxKind,
  type TemplateHead,
  type TemplateMiddle,
  type TemplateTail,
} from 'typescript';
import { actionFolder, runAction } from '../../tools/run-action.ts';
import { answers } from '../support/faults.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import { importedPackages } from '../support/imported-packages.ts';
import { type TemporaryWorkspace, temporaryWorkspace } from '../support/temporary-workspace.ts';

const root = join(import.meta.dirname, '..', '..');
const dist = actionFolder;
/** True of a build without the substitutes (`npm run build -- --plain`), which is neither small nor quick. */
const isPlain = !readdirSync(dist).includes('llhttp-wasm.js');
const itWithSubstitutes = isPlain ? it.skip : it;
let bundle: string;
let elsewhere: TemporaryWorkspace;

beforeAll(async () => {
  bundle = scripts()
    .map(({ text }) => text)
    .join('\n');
  elsewhere = await temporaryWorkspace();
});

afterAll(() => elsewhere.remove());

describe('dist/', () => {
  it('holds scripts, the licences of what is in them, and the kind of the scripts, and nothing else', () => {
    const others = readdirSync(dist).filter((name) => !name.endsWith('.js'));
    expect(others.sort()).toEqual(['licenses.txt', 'package.json']);
    expect(readFileSync(join(dist, 'package.json'), 'utf8')).toContain('"commonjs"');
  });

  it('is not stale: it holds every text of the sources that it is built from; else run `npm run build`', () => {
    const sources = sourcesFrom(join(root, 'src', 'main.ts'));
    expect(sources.length).toBeGreaterThan(50);
    const missing = sources.flatMap((path) =>
      textsOf(path)
        .filter((text) => !bundle.includes(text))
        .map((text) => `${relative(root, path)}: ${text}`),
    );
    expect(missing).toEqual([]);
  });

  it('needs nothing but itself and Node', async () => {
    cpSync(dist, elsewhere.path, { recursive: true });
    const program = [process.execPath, join(elsewhere.path, 'index.js')];
    const result = await runAction({ inputs: {}, environment: {}, program });
    expect(result).toMatchObject({ exitCode: 1, errorLog: '', outputs: { outcome: 'error' } });
    expect(result.log).toContain('`operation` is required');
  });

  itWithSubstitutes(
    'asks for Node’s own modules, its own files and what is left out on purpose, and nothing else',
    () => {
      const own = new Set([...builtinModules, ...readdirSync(dist).map((name) => `./${name}`)]);
      const asked = [...bundle.matchAll(/\brequire\("([^"]+)"\)/gu)].map(([, name]) => name ?? '');
      expect(asked.length).toBeGreaterThan(20);
      const foreign = asked.filter((name) => !own.has(name) && !own.has(name.replace(/^node:/u, '')));
      expect([...new Set(foreign)].sort()).toEqual(['undici/left-out-of-the-bundle/lib/web/fetch/body.js']);
    },
  );

  it('is ASCII, which V8 reads twice as fast', () => {
    expect(scripts().filter(({ text }) => /[^\0-\x7F]/u.test(text))).toEqual([]);
  });

  itWithSubstitutes('keeps what few steps need out of the file that every step reads', () => {
    const first = readFileSync(join(dist, 'index.js'), 'utf8');
    const cold = [
      'qualitygates/project_status',
      'octokit',
      'Unable to locate executable',
      'YAMLException',
      'EnvHttpProxyAgent',
    ];
    expect(cold.filter((text) => !bundle.includes(text))).toEqual([]);
    expect(cold.filter((text) => first.includes(text))).toEqual([]);
  });

  itWithSubstitutes("lets V8 not optimize undici's parser, for which the process would wait at its end", async () => {
    // As much to parse as in many answers.
    const headers = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`x-header-${index}`, 'a value']));
    const server = await startFaultyServer(answers(201, 'OK', headers));
    try {
      const { log } = await runAction({
        inputs: {
          ...{ operation: 'create-flow', flow: 'web', description: 'Of a test', template: 'unit' },
          ...{ org: 'acme', 'base-url': server.url.href, 'api-token': 'the-api-key-of-acme' },
        },
        environment: {},
        program: [process.execPath, '--trace-wasm-compilation-times', join(dist, 'index.js')],
      });
      expect(log).toContain('was created in organization acme');
      expect(log).toContain('using Liftoff');
      expect(log).not.toContain('using TurboFan');
    } finally {
      await server.close();
    }
  });

  it('holds nothing of the service and no path of the machine that built it', () => {
    const foreign = ['fastify()', 'compliance_service', root].filter((text) => bundle.includes(text));
    expect(foreign).toEqual([]);
  });

  it('names the licence of every package that the sources use', () => {
    const licences = readFileSync(join(dist, 'licenses.txt'), 'utf8');
    const packages = sourcesFrom(join(root, 'src', 'main.ts')).flatMap((path) =>
      importedPackages(readFileSync(path, 'utf8')),
    );
    expect(new Set(packages)).toContain('undici');
    expect([...new Set(packages)].filter((name) => !licences.includes(`${name} `))).toEqual([]);
    expect(licences).toMatch(/llhttp, in undici \(MIT\)\s+Copyright Fedor Indutny, 2018\./u);
  });
});

function scripts(): readonly { readonly name: string; readonly text: string }[] {
  const names = readdirSync(dist).filter((name) => name.endsWith('.js'));
  return names.map((name) => ({ name, text: readFileSync(join(dist, name), 'utf8') }));
}

/** The sources that a module loads, itself included; what it only takes types from is not loaded. */
function sourcesFrom(entry: string): readonly string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    const source = readFileSync(path, 'utf8');
    const imports = source.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'|import\([^)']*'(\.[^']+)'/gmu);
    for (const [, fixed, lazy] of imports) visit(resolve(dirname(path), fixed ?? lazy ?? ''));
  };
  visit(entry);
  return [...found];
}

/** The texts of a source, pieces of templates included, that are long enough to be its own and written without escapes. */
function textsOf(path: string): readonly string[] {
  const texts: string[] = [];
  const visit = (node: Node): void => {
    if (isImportDeclaration(node) || isExportDeclaration(node) || isTypeNode(node) || isImport(node)) return;
    if (isStringLiteralLike(node) || isTemplatePiece(node)) texts.push(node.text);
    node.forEachChild(visit);
  };
  visit(createSourceFile(path, readFileSync(path, 'utf8'), ScriptTarget.ESNext));
  return texts.filter((text) => text.length >= 16 && !/['"\\`\n$\P{ASCII}]/u.test(text));
}

function isImport(node: Node): boolean {
  return isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword;
}

function isTemplatePiece(node: Node): node is TemplateHead | TemplateMiddle | TemplateTail {
  return isTemplateHead(node) || isTemplateMiddleOrTemplateTail(node);
}
