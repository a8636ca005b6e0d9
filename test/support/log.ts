import type { Log } from '../../src/runtime/log.ts';

/** A log that stores its lines. */
export interface CollectingLog extends Log {
  readonly debugs: readonly string[];
  readonly infos: readonly string[];
  readonly warnings: readonly string[];
  readonly notices: readonly string[];
  /** The titles of the groups. */
  readonly groups: readonly string[];
  /** Everything that was logged, in order, one line each. */
  text(): string;
}

/** A log that stores its lines. */
export function collectingLog(): CollectingLog {
  const debugs: string[] = [];
  const infos: string[] = [];
  const warnings: string[] = [];
  const notices: string[] = [];
  const groups: string[] = [];
  const all: string[] = [];
  const keep = (lines: string[]) => (line: string) => {
    lines.push(line);
    all.push(line);
  };
  return {
    debugs,
    infos,
    warnings,
    notices,
    groups,
    text: () => all.join('\n'),
    debug: keep(debugs),
    info: keep(infos),
    warning: keep(warnings),
    notice: keep(notices),
    group(title, work) {
      keep(groups)(title);
      return work();
    },
  };
}
