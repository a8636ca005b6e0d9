import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { textAt } from '../../src/runtime/untrusted-data.ts';
import { usage } from '../../src/service/commands/service-options.ts';
import { defaultTimeouts } from '../../src/service/platform/server/server.ts';
import { readText, root } from '../support/repository.ts';

const unit = readText('deploy/compliance.service');
const settings = [...unit.matchAll(/^(\w+)=(.*)$/gmu)].map(([, key = '', value = '']) => [key, value] as const);

const valuesOf = (wanted: string): readonly string[] =>
  settings.flatMap(([key, value]) => (key === wanted ? [value] : []));
const valueOf = (key: string): string => valuesOf(key)[0] ?? '';
const variables = new Map(valuesOf('Environment').map((text) => [text.split('=')[0], text.replace(/^\w+=/u, '')]));

describe('the unit of systemd', () => {
  it('starts the service as the user compliance, without npm or a shell, which would keep signals', () => {
    expect(valueOf('ExecStart')).toBe(`${valueOf('WorkingDirectory')}/node_modules/.bin/node src/service/main.ts`);
    expect(textAt(JSON.parse(readText('package.json')), 'scripts', 'service')).toMatch(/ src\/service\/main\.ts$/u);
    expect(valueOf('User')).toBe('compliance');
  });

  it('keeps the data in its state directory, and secrets out of the unit', () => {
    expect([...variables.keys()]).toEqual(['COMPLIANCE_SERVICE_DATA', 'NODE_OPTIONS']);
    expect(usage).toContain('COMPLIANCE_SERVICE_DATA');
    expect(variables.get('COMPLIANCE_SERVICE_DATA')).toBe(`/var/lib/${valueOf('StateDirectory')}`);
    expect(valueOf('StateDirectoryMode')).toBe('0700');
    expect(valueOf('EnvironmentFile')).toBe('/etc/compliance/service.env');
  });

  it('has time to answer its requests when it stops, and starts again unless an option is wrong', () => {
    expect(Number(valueOf('TimeoutStopSec')) * 1000).toBeGreaterThanOrEqual(2 * defaultTimeouts.stop);
    expect([valueOf('Restart'), valueOf('RestartPreventExitStatus')]).toEqual(['on-failure', '2']);
  });

  it('has limits of memory and processes, with room for the heap', () => {
    const [, heap] = /^--max-old-space-size=(\d+)$/u.exec(variables.get('NODE_OPTIONS') ?? '') ?? [];
    const [, gigabytes] = /^(\d+)G$/u.exec(valueOf('MemoryMax')) ?? [];
    expect(Number(gigabytes) * 1024).toBeGreaterThan(Number(heap) + 256);
    expect(Number(valueOf('TasksMax'))).toBeGreaterThan(0);
  });

  it('has no privileges, and writes to its own folders only', () => {
    expect(Object.fromEntries(settings)).toMatchObject({
      CapabilityBoundingSet: '',
      NoNewPrivileges: 'yes',
      PrivateTmp: 'yes',
      ProtectHome: 'yes',
      ProtectSystem: 'strict',
    });
    // V8 compiles JavaScript to machine code.
    expect(valuesOf('MemoryDenyWriteExecute')).toEqual([]);
  });

  const analyze = (...words: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync('systemd-analyze', words, { encoding: 'utf8' });
  const [, version = '0'] = /^systemd (\d+)/u.exec(String(analyze('--version').stdout)) ?? [];
  // Earlier versions cannot read a file.
  (Number(version) >= 250 ? it : it.skip)('has an exposure of at most 3 in the analysis of systemd', () => {
    const path = join(root, 'deploy', 'compliance.service');
    const { status, stdout } = analyze('security', '--offline=true', '--threshold=30', '--no-pager', path);
    expect({ status, stdout }).toMatchObject({ status: 0 });
  });
});
