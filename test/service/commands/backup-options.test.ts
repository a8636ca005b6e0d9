import { describe, expect, it } from '@jest/globals';
import type { EnvironmentVariables } from '../../../src/runtime/dependencies.ts';
import { backup, restore, verifyFolder } from '../../../src/service/commands/backup.ts';
import { verify } from '../../../src/service/commands/log-commands.ts';

const commands = { backup, restore, verify: verifyFolder };

const parse = ([name = '', ...words]: readonly string[], environment: EnvironmentVariables = {}): unknown =>
  commands[name as keyof typeof commands].parse(words, environment);

describe('the options of backup, verify and restore', () => {
  it.each([
    [['backup', 'dir'], { target: 'dir', dataFolder: 'service-data', leaveOutDamaged: false }],
    [
      ['backup', '--data', 'here', '--leave-out-damaged', 'dir'],
      { target: 'dir', dataFolder: 'here', leaveOutDamaged: true },
    ],
    [['verify', 'dir'], 'dir'],
    [['restore', '--check', 'dir'], { folder: 'dir', check: true }],
    [['restore', 'dir', '--data=there'], { folder: 'dir', given: 'there', check: false }],
  ])('are parsed from %j', (words, request) => {
    expect(parse(words)).toEqual(request);
  });

  it('take the data folder from the environment', () => {
    const environment = { COMPLIANCE_SERVICE_DATA: 'there' };
    expect(parse(['backup', 'dir'], environment)).toMatchObject({ dataFolder: 'there' });
    expect(parse(['restore', 'dir'], environment)).toMatchObject({ given: 'there' });
    expect(parse(['backup', 'dir', '--data', 'here'], environment)).toMatchObject({ dataFolder: 'here' });
  });

  it.each([
    [['backup'], /backup requires a folder[^]*Usage: npm run service -- backup DIR/u],
    [['verify', ''], /verify requires a folder/u],
    [['restore', 'one', 'two'], /restore takes only one folder/u],
    [['verify', 'dir', '--check'], /Unknown option '--check'[^]*Usage: npm run service -- verify DIR/u],
    [['restore', 'dir', '--port', '1'], /Unknown option '--port'/u],
  ])('are rejected in %j, with their usage', (words, message) => {
    expect(() => parse(words)).toThrow(message);
  });

  const url = 'postgres://user:secret@db.example.com/compliance';
  it.each([
    [['backup', 'dir', '--database', url], {}],
    [['verify', 'dir', '--database', url], {}],
    [['restore', 'dir', '--database', url], {}],
    [['backup', 'dir', '--data', 'here'], { COMPLIANCE_SERVICE_DATABASE: url }],
    [['restore', 'dir'], { COMPLIANCE_SERVICE_DATABASE: url }],
  ])('are refused for PostgreSQL, with the remedy: %j %j', (words, environment) => {
    expect(() => parse(words, environment)).toThrow(
      /^\w+ is for a data folder with SQLite, .* back that up with pg_dump or pg_basebackup, as docs\/operate\/postgresql.md says/u,
    );
    expect(() => parse(words, environment)).not.toThrow('secret');
  });

  it('verify a backup whatever database the service uses, also one with a folder named help', () => {
    expect(verify.parse(['help'], { COMPLIANCE_SERVICE_DATABASE: url })).toBe('help');
  });

  it.each(['backup', 'verify', 'restore'])('have a help: %s', (name) => {
    expect(parse([name, '--help'])).toBeUndefined();
  });
});
