/** A time in Unix seconds as ISO 8601 in UTC, to the second; undefined if there is none, or if it is out of range. */
export function formatTime(seconds: number | undefined | null): string | undefined {
  if (seconds === undefined || seconds === null) return undefined;
  const time = new Date(Math.floor(seconds) * 1000);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString().replace('.000Z', 'Z');
}

const units = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** A duration in seconds, in its two largest units: `3 d 4 h`; undefined if there is none. */
export function formatDuration(seconds: number | undefined): string | undefined {
  if (seconds === undefined || !(seconds >= 0)) return undefined;
  let rest = Math.floor(seconds);
  const parts = units.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { unit, count };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => `${count} ${unit}`)
    .join(' ');
}
