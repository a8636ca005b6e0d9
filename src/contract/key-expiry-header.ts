/**
 * The response header with the time at which the API key of the request expires, if that is soon: a Date of RFC 9651,
 * such as `@1795300000`.
 */
export const keyExpiryHeader = 'api-key-expires-at';
