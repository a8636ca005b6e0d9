/** The kinds of records, as the service's messages begin. */
const resources = ['Flow', 'Trail', 'Artifact', 'Attestation', 'Environment', 'Snapshot', 'Policy', 'Service account'];

// Must begin with the resource, in the service's spelling, because a router, a proxy or another API says "Not Found",
// "Route not found" or "404 Project Not Found".
const notFound = new RegExp(`^(?:${resources.join('|')})(?: .*)? (?:not found|does not exist)\\b`, 'su');
// A snapshot number that the environment has not reached yet. The real service puts the organization first.
const noSuchSnapshot = /^(?:Org: '[^']*'\. )?Snapshot '[^']*' resolves to '/u;

/**
 * Whether a message of the service says that something is not on record: `Flow not found`, as the interface shows it,
 * or `Flow named 'web' does not exist for organization 'acme'`, as the real service says. More text may follow.
 */
export function isNotFoundMessage(message: string): boolean {
  return notFound.test(message) || noSuchSnapshot.test(message);
}
