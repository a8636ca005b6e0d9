/** Formats a number of bytes for people: `312 bytes`, `10.4 MiB (10,904,321 bytes)`. */
export function formatBytes(bytes: number): string {
  const exact = `${bytes.toLocaleString('en-US')} ${bytes === 1 ? 'byte' : 'bytes'}`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length);
  const unit = units[power - 1];
  return unit === undefined ? exact : `${(bytes / 1024 ** power).toFixed(1)} ${unit} (${exact})`;
}
