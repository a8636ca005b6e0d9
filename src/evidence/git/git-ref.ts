/** Removes the prefix of a ref: `refs/heads/feature/a` becomes `feature/a`, `refs/tags/v1` becomes `v1`. */
export function shortRef(ref: string | undefined): string | undefined {
  const name = ref?.replace(/^refs\/(heads|tags|pull)\//, '');
  return name === '' ? undefined : name;
}

/** The branch name in a ref; undefined if the ref is something else, such as a tag. */
export function branchName(ref: string | undefined): string | undefined {
  if (ref === undefined || isFullSha(ref)) return undefined;
  if (ref.startsWith('refs/') && !ref.startsWith('refs/heads/')) return undefined;
  return shortRef(ref);
}

/** Whether it is a full SHA-1, and not the zeros that GitHub uses for "no commit". */
export function isFullSha(text: string): boolean {
  return /^[0-9a-f]{40}$/i.test(text) && !/^0+$/.test(text);
}

/** The full SHA-1 in lower case, as the interface requires it; undefined if the value is not one. */
export function fullSha(value: unknown): string | undefined {
  return typeof value === 'string' && isFullSha(value) ? value.toLowerCase() : undefined;
}
