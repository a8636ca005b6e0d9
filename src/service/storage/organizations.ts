/** Organizations as they are read. */
export interface OrganizationReader {
  exists(org: string): Promise<boolean>;
}

/** Organizations as they are written. */
export interface OrganizationWriter extends OrganizationReader {
  insert(org: string, createdAt: number): Promise<'inserted' | 'exists'>;
}
