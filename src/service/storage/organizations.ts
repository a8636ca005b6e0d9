/** Reads organizations. */
export interface OrganizationReader {
  exists(org: string): Promise<boolean>;
}

/** Reads and writes organizations. */
export interface OrganizationWriter extends OrganizationReader {
  insert(org: string, createdAt: number): Promise<'inserted' | 'exists'>;
}
