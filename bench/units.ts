/** A duration, given in milliseconds. */
export function milliseconds(value: number): string {
  return `${value.toFixed(value < 1 ? 2 : value < 100 ? 1 : 0)} ms`;
}

/** Memory, given in bytes; one MB is 1024 × 1024 of them, as operating systems count memory. */
export function megabytes(bytes: number): string {
  return `${(bytes / bytesOfMegabyte).toFixed(1)} MB`;
}

/** The bytes of a megabyte of memory. */
export const bytesOfMegabyte = 1024 * 1024;

/** The size of a download, given in bytes; one kB is 1000 of them. */
export function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}

/** How many happen in a second. */
export function perSecond(value: number): string {
  return `${Math.round(value)} /s`;
}

/** How many times the reference something takes. */
export function times(value: number): string {
  return value.toFixed(2);
}
