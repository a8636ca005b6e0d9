import { apiEndpoints } from '../../src/contract/api-endpoints.ts';
import type { Endpoint, OperationName } from '../../src/contract/endpoint.ts';

function isOfInterface(endpoint: Endpoint): endpoint is Endpoint & { readonly operation: OperationName } {
  return endpoint.number !== undefined;
}

/** The endpoints of the interface, in its order. */
export const interfaceEndpoints = apiEndpoints.filter(isOfInterface);
