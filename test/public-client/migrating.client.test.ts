import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { clientProgram } from '../../tools/public-client/public-client.ts';
import { readText } from '../support/repository.ts';

/** What a command of the client has: its commands, or its flags. */
function readHelp(words: readonly string[]): {
  readonly commands: readonly string[];
  readonly flags: readonly string[];
} {
  const help = execFileSync(clientProgram, [...words, '--help'], { encoding: 'utf8' });
  const sectionOf = (title: string): string => help.split(`\n${title}:\n`)[1]?.split('\n\n')[0] ?? '';
  const commands = [...sectionOf('Available Commands').matchAll(/^ {2}([a-z][\w-]*) /gmu)].map(([, name = '']) => name);
  const flags = [...sectionOf('Flags').matchAll(/^ +(?:-\w, )?(--[\w-]+)/gmu)].map(([, name = '']) => name);
  return { commands: commands.filter((name) => name !== 'help' && name !== 'completion'), flags };
}

it('the page for users of the public client has all of its commands, and the flags of what records and asserts', () => {
  const page = readText('docs/migrating.md').replaceAll(/\s+/gu, ' ');
  const missing: string[] = [];
  const visit = (words: readonly string[]): void => {
    const { commands, flags } = readHelp(words);
    for (const command of commands) visit([...words, command]);
    if (commands.length > 0) return;
    const name = words.join(' ');
    if (!page.includes(`\`${name}\``) && !page.includes(`\`… ${words.at(-1) ?? ''}\``)) missing.push(name);
    const isNamed = ['attest', 'assert', 'begin'].includes(words[0] ?? '');
    if (isNamed) missing.push(...flags.filter((flag) => flag !== '--help' && !page.includes(`\`${flag}`)));
  };
  visit([]);
  expect([...new Set(missing)]).toEqual([]);
});
