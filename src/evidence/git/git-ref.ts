/** A ref without its prefix: `refs/heads/feature/a` is `feature/a`, `refs/tags/v1` is `v1`; undefined for none. */
export function shortRef(ref: string | undefined): string | undefined {
  const name = ref?.replace(/^refs\/(heads|tags|pull)\//, '');
  return name === '' ? undefined : name;
}

/** The name of the branch that a ref stands for; undefined if it stands for something else, such as a tag. */
export function branchName(ref: string | undefined): string | undefined {
  if (ref === undefined || isFullSha(ref)) return undefined;
  if (ref.startsWith('refs/') && !ref.startsWith('refs/heads/')) return undefined;
  return shortRef(ref);
}

/** Whether it is a whole SHA-1, and not the zeros that GitHub writes where there is no commit. */
export function isFullSha(text: string): boolean {
  return /^[0-9a-f]{40}$/i.test(text) && !/^0+$/.test(text);
}

/** The whole SHA-1 in lower case, as the interface wants it; undefined if the value is none. */
export function fullSha(value: unknown): string | undefined {
  return typeof value === 'string' && isFullSha(value) ? value.toLowerCase() : undefined;
}
