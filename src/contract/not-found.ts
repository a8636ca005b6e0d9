/** The kinds of records, as the service's messages begin. */
const resources = [
  'Flow',
  'Trail',
  'Artifact',
  'Attestation',
  'Environment',
  'Snapshot',
  'Policy',
  'Service account',
  'Custom attestation type',
  // A notification, in the words of the interface.
  'Action',
] as const;

export type Resource = (typeof resources)[number];

// Must begin with the resource, in the service's spelling, because a router, a proxy or another API says "Not Found",
// "Route not found" or "404 Project Not Found".
const notFound = new RegExp(`^(?:${resources.join('|')})(?: .*)? (?:not found|does not exist)\\b`, 'su');
const noSuchPolicies = /^Policies .* do not exist\b/su;
// A snapshot number that the environment has not reached yet. The real service puts the organization first.
const noSuchSnapshot = /^(?:Org: '[^']*'\. )?Snapshot '[^']*' resolves to '/u;

/**
 * What a message of the service says is not on record: `Flow not found`, as the interface shows it, or `Flow named
 * 'web' does not exist for organization 'acme'`, as the real service says; more text may follow. Undefined for any
 * other message. For an environment, the interface shows `Flow not found`, too.
 */
export function findMissingResource(message: string): Resource | undefined {
  if (noSuchSnapshot.test(message)) return 'Snapshot';
  if (noSuchPolicies.test(message)) return 'Policy';
  return notFound.test(message) ? resources.find((resource) => message.startsWith(resource)) : undefined;
}
