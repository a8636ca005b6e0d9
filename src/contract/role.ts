/** The roles of members and service accounts, most privileged first (`privilege` of a service account). */
export const roles = ['admin', 'member', 'snapshotter', 'reader'] as const;

export type Role = (typeof roles)[number];
