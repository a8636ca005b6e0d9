/** The roles of members and service accounts, most privileged first (`privilege` of a service account). */
export const roles = ['admin', 'member', 'snapshotter', 'reader'] as const;

export type Role = (typeof roles)[number];

/** Whether the text is the name of a role. */
export function isRole(word: string): word is Role {
  return (roles as readonly string[]).includes(word);
}
