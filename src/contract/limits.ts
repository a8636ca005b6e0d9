/**
 * The largest attachment and the largest policy file, in bytes (interface, Limits). "10MB" is read as 10 MiB on both
 * sides, and exactly that much is accepted.
 */
export const maximumFileBytes = 10 * 1024 * 1024;

/** The largest JSON part of a multipart request, in bytes: the limit a real service was seen to hold. */
export const maximumDocumentBytes = 1024 * 1024;
