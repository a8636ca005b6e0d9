/** Formats a duration in milliseconds. */
export function milliseconds(value: number): string {
  return `${value.toFixed(value < 1 ? 2 : value < 100 ? 1 : 0)} ms`;
}

/** Formats memory in bytes. One MB is 1024 × 1024 bytes, as operating systems count memory. */
export function megabytes(bytes: number): string {
  return `${(bytes / bytesOfMegabyte).toFixed(1)} MB`;
}

/** The bytes in a megabyte of memory. */
export const bytesOfMegabyte = 1024 * 1024;

/** Formats the size of a download in bytes. One kB is 1000 bytes. */
export function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}

/** Formats a rate per second. */
export function perSecond(value: number): string {
  return `${Math.round(value)} /s`;
}

/** Formats the ratio to the reference. */
export function times(value: number): string {
  return value.toFixed(2);
}
