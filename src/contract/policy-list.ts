import { defineEndpoint, ok } from './endpoint.ts';
import { policy } from './policy.ts';
import { Type } from './schema.ts';

export const listPolicies = defineEndpoint('GET /policies/{org}', {
  origin: 'observed',
  title: 'List policies',
  success: [ok('All policies, sorted by name.', Type.Array(policy))],
});
