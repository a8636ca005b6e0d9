/** So many unpredictable bytes; passed in, so that tests know them. */
export type RandomBytes = (size: number) => Buffer;
