/** The formats of archives that a replay reads. */
export type ArchiveFormat = 'tar' | 'tar.gz' | 'zip';

const formats: readonly (readonly [suffix: string, format: ArchiveFormat])[] = [
  ['.tar.gz', 'tar.gz'],
  ['.tgz', 'tar.gz'],
  ['.tar', 'tar'],
  ['.zip', 'zip'],
];

/** The format of an archive, and its name without the suffix that says so; undefined for any other file. */
export function archiveFormat(name: string): { readonly format: ArchiveFormat; readonly stem: string } | undefined {
  for (const [suffix, format] of formats) {
    if (name.toLowerCase().endsWith(suffix)) return { format, stem: name.slice(0, -suffix.length) };
  }
  return undefined;
}
