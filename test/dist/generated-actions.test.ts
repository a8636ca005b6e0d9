import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { runAction } from '../../tools/run-action.ts';
import { root } from '../support/repository.ts';

describe('an action of its own', () => {
  it('runs its operation, whatever `operation` says', async () => {
    const program = [process.execPath, join(root, 'actions', 'attest-generic', 'index.cjs')];
    const inputs = { operation: 'get-artifact', org: 'acme', flow: 'web', 'api-token': 'secret' };
    const { exitCode, log } = await runAction({ inputs, environment: {}, program });
    expect(exitCode).toBe(1);
    expect(log).toContain('compliant');
    expect(log).toContain('attestation-name');
    expect(log).not.toContain('get-artifact');
  });
});
