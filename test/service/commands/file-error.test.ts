import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { errorMessage } from '../../../src/runtime/failure.ts';
import { toFileError } from '../../../src/service/commands/file-error.ts';
import { runServiceCommand } from '../../support/run-service-command.ts';

describe('a file that a command cannot use', () => {
  it('is named with a remedy, whatever the command needs it for', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'compliance-file-'));
    const path = join(folder, 'compliance.sqlite');
    await mkdir(path);
    const { code, output } = await runServiceCommand(['verify', '--data', folder]);
    expect([code, output.trim()]).toEqual([1, `${path} is a folder and must be a file; check the path`]);
    await rm(folder, { recursive: true });
  });

  it('may be denied to the user', () => {
    const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: '/backups/x' });
    expect(errorMessage(toFileError(error))).toMatch(/^\/backups\/x may not be used by this user; run the command as/u);
  });

  it('may be on a read-only disk', () => {
    const error = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path: '/backups/x' });
    expect(errorMessage(toFileError(error))).toBe('/backups/x is on a read-only disk; name another path');
  });
});
