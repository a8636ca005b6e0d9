import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { freePort } from '../../tools/servers/ports.ts';
import { fencesOf } from '../support/markdown.ts';
import { itWithSignals } from '../support/platform.ts';
import { readText, root } from '../support/repository.ts';

itWithSignals(
  'the commands of the tutorial end as it says',
  async () => {
    const [clone, ...commands] = fencesOf(readText('docs/tutorial.md')).filter(({ language }) => language === 'sh');
    expect(clone?.text).toContain('npm ci --omit=dev\n');
    const script = commands.map((command) => command.text).join('\n');
    const home = await mkdtemp(join(tmpdir(), 'compliance-tutorial-'));
    try {
      const port = String(await freePort());
      // Prints each command that fails.
      const lines = `trap 'echo "failed with $?: $BASH_COMMAND"' ERR\n${script.replaceAll('8080', port)}`;
      const environment = { PATH: process.env['PATH'], HOME: home, COMPLIANCE_SERVICE_PORT: port };
      const shell = spawn('bash', ['-c', lines], { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
      const [output, errors] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')]);
      expect([shell.exitCode, errors]).toEqual([0, '']);
      expect(output.match(/^failed with .*$/gmu)).toEqual([
        'failed with 1: npm run --silent --prefix "$ACTION" step -- "$@"',
        'failed with 1: npm run --silent --prefix "$ACTION" step -- "$@"',
      ]);
      const outcomes = [...output.matchAll(/^ {2}outcome: (.*)$/gmu)].map(([, outcome]) => outcome);
      expect(outcomes).toEqual(['done', 'done', 'incomplete', 'non-compliant', 'compliant', 'compliant']);
      expect(output).toContain('⬜ tests: not recorded; junit is required (template of the flow)\n');
      expect(output).toContain('removes an article | ❌ failed | 1 is left\n');
      expect(Number(/^\S+ \d+ \S+ \S+ (\d+) .* audit\.zip$/mu.exec(output)?.[1])).toBeGreaterThan(10_000);
      expect(existsSync(join(home, 'compliance-tutorial'))).toBe(false);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  },
  60_000,
);
