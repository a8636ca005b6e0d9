/** The roles of members and service accounts, from the widest to the narrowest (`privilege` of a service account). */
export const roles = ['admin', 'member', 'snapshotter', 'reader'] as const;

/** The role of a member or service account. */
export type Role = (typeof roles)[number];

/** Whether the word names a role. */
export function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word);
}
