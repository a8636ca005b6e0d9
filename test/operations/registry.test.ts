import { describe, expect, it } from '@jest/globals';
import { operationNames } from '../../src/contract/endpoint.ts';
import { evidenceEndpoints } from '../../src/contract/evidence-endpoints.ts';
import { allOperationNames } from '../../src/operations/operation-names.ts';
import { operations } from '../../src/operations/registry.ts';
import { interfaceEndpoints } from '../support/interface-endpoints.ts';

describe('the registry of operations', () => {
  it('holds each operation under its own name, with the endpoint of that name', async () => {
    for (const name of allOperationNames) {
      const operation = await operations[name]();
      expect(operation.name).toBe(name);
      if (operation.endpoint !== undefined) expect(operation.endpoint.operation).toBe(name);
    }
  });

  it('lists the operations in the order of the interface', async () => {
    const numbers = await Promise.all(operationNames.map(async (name) => (await operations[name]()).endpoint?.number));
    expect(numbers).toEqual(numbers.toSorted((one, other) => (one ?? 0) - (other ?? 0)));
  });

  it('runs every endpoint of the contract', () => {
    expect([...operationNames].sort()).toEqual(interfaceEndpoints.map(({ operation }) => operation).sort());
  });

  it('keeps evidence exactly with the operations whose requests a replay delivers', async () => {
    const loaded = await Promise.all(allOperationNames.map((name) => operations[name]()));
    const keeping = loaded.filter(({ inputs }) =>
      Object.values(inputs).some(({ input }) => input.name === 'on-outage'),
    );
    const names = evidenceEndpoints.map(({ operation }) => operation);
    expect(keeping.map(({ endpoint }) => endpoint?.operation).toSorted()).toEqual(names.toSorted());
  });

  it('fails on a verdict by default only for operations that judge', async () => {
    const gates = await Promise.all(operationNames.map(async (name) => [name, (await operations[name]()).gate]));
    expect(Object.fromEntries(gates)).toMatchObject({
      'create-flow': 'ignore',
      'attest-sonar': 'fail',
      'get-artifact': 'fail',
    });
  });
});
