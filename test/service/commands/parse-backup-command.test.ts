import { describe, expect, it } from '@jest/globals';
import { parseBackupCommand } from '../../../src/service/commands/parse-backup-command.ts';

describe('the commands of the service', () => {
  it('are absent if the service is to be started', () => {
    expect(parseBackupCommand([], {})).toBeUndefined();
    expect(parseBackupCommand(['--port', '0'], {})).toBeUndefined();
    expect(parseBackupCommand(['toString'], {})).toBeUndefined();
  });

  it.each([
    [['backup', 'dir'], { name: 'backup', folder: 'dir', dataFolder: 'service-data', leaveOutDamaged: false }],
    [
      ['backup', '--data', 'here', '--leave-out-damaged', 'dir'],
      { name: 'backup', folder: 'dir', dataFolder: 'here', leaveOutDamaged: true },
    ],
    [['verify', 'dir'], { name: 'verify', folder: 'dir' }],
    [
      ['restore', '--check', 'dir'],
      { name: 'restore', folder: 'dir', dataFolder: 'service-data', check: true, isFolderNamed: false },
    ],
    [
      ['restore', 'dir', '--data=there'],
      { name: 'restore', folder: 'dir', dataFolder: 'there', check: false, isFolderNamed: true },
    ],
  ])('are parsed from %j', (words, command) => {
    expect(parseBackupCommand(words, {})).toEqual(command);
  });

  it('take the data folder from the environment', () => {
    const environment = { COMPLIANCE_SERVICE_DATA: 'there' };
    expect(parseBackupCommand(['backup', 'dir'], environment)).toMatchObject({ dataFolder: 'there' });
    expect(parseBackupCommand(['restore', 'dir'], environment)).toMatchObject({
      dataFolder: 'there',
      isFolderNamed: true,
    });
    expect(parseBackupCommand(['backup', 'dir', '--data', 'here'], environment)).toMatchObject({ dataFolder: 'here' });
  });

  it.each([
    [['backup'], /backup requires a folder[^]*Usage: npm run service -- backup DIR/u],
    [['verify', ''], /verify requires a folder/u],
    [['restore', 'one', 'two'], /restore takes only one folder/u],
    [['verify', 'dir', '--check'], /Unknown option '--check'[^]*Usage: npm run service -- verify DIR/u],
    [['restore', 'dir', '--port', '1'], /Unknown option '--port'/u],
  ])('are rejected in %j, with their usage', (words, message) => {
    expect(() => parseBackupCommand(words, {})).toThrow(message);
  });

  const url = 'postgres://user:secret@db.example.com/compliance';
  it.each([
    [['backup', 'dir', '--database', url], {}],
    [['verify', 'dir', '--database', url], {}],
    [['restore', 'dir', '--database', url], {}],
    [['backup', 'dir', '--data', 'here'], { COMPLIANCE_SERVICE_DATABASE: url }],
    [['restore', 'dir'], { COMPLIANCE_SERVICE_DATABASE: url }],
  ])('are refused for PostgreSQL, with the remedy: %j %j', (words, environment) => {
    expect(() => parseBackupCommand(words, environment)).toThrow(
      /^\w+ is for a data folder with SQLite, .* back that up with pg_dump or pg_basebackup, as docs\/operate\/postgresql.md says/u,
    );
    expect(() => parseBackupCommand(words, environment)).not.toThrow('secret');
  });

  it('verify a backup whatever database the service uses', () => {
    expect(parseBackupCommand(['verify', 'dir'], { COMPLIANCE_SERVICE_DATABASE: url })).toMatchObject({
      name: 'verify',
    });
  });

  it.each(['backup', 'verify', 'restore'])('print their help: %s', (name) => {
    expect(parseBackupCommand([name, '--help'], {})).toMatchObject({
      name: 'help',
      usage: expect.stringContaining(`Usage: npm run service -- ${name} DIR`) as unknown,
    });
  });
});
