/** Returns that many cryptographically random bytes; passed in, so that tests can replace it. */
export type RandomBytes = (size: number) => Buffer;
