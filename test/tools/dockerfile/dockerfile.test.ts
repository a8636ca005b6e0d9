import { describe, expect, it } from '@jest/globals';
import {
  commandOf,
  copiesOf,
  finalStage,
  parseDockerfile,
  textsOf,
  variablesOf,
} from '../../../tools/dockerfile/dockerfile.ts';

const text = `# A comment.
FROM node:24 AS dependencies
COPY package.json .npmrc ./

from node:24
ENV PORT=80 \\
    # between the lines
    URL=http://a/?b=c
COPY --from=dependencies --link /app/node_modules ./node_modules
HEALTHCHECK --interval=10s \\
    CMD ["node", "--eval", "[1].at(0)"]
ENTRYPOINT node main.js
`;

describe('parseDockerfile', () => {
  const stages = parseDockerfile(text);
  const last = finalStage(stages);

  it('finds the stages', () => {
    expect(stages.map(({ name, base }) => [name, base])).toEqual([
      ['dependencies', 'node:24'],
      [undefined, 'node:24'],
    ]);
  });

  it('joins continued lines, without the comments between them', () => {
    expect(textsOf(last, 'ENV')).toEqual(['PORT=80 URL=http://a/?b=c']);
    expect([...variablesOf(last)]).toEqual([
      ['PORT', '80'],
      ['URL', 'http://a/?b=c'],
    ]);
  });

  it('reads what is copied', () => {
    expect(stages.flatMap(copiesOf)).toEqual([
      { from: undefined, sources: ['package.json', '.npmrc'], target: './' },
      { from: 'dependencies', sources: ['/app/node_modules'], target: './node_modules' },
    ]);
  });

  it('reads commands that run without a shell, and no others', () => {
    expect(commandOf(last, 'HEALTHCHECK')).toEqual(['node', '--eval', '[1].at(0)']);
    expect(() => commandOf(last, 'ENTRYPOINT')).toThrow('has no ENTRYPOINT in the form of a JSON list');
  });

  it('refuses a file that does not begin with a stage', () => {
    expect(() => parseDockerfile('ARG VERSION\nFROM node:24')).toThrow('ARG stands before the first FROM');
    expect(() => finalStage([])).toThrow('no FROM');
  });
});
