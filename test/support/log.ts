import type { Log } from '../../src/runtime/log.ts';

/** A log that keeps its lines. */
export interface CollectingLog extends Log {
  readonly debugs: readonly string[];
  readonly infos: readonly string[];
  readonly warnings: readonly string[];
  readonly notices: readonly string[];
  /** The titles of the groups. */
  readonly groups: readonly string[];
  /** Everything in the order it came, one line each, so that a test can look for what must not be there. */
  text(): string;
}

/** A log that keeps its lines. */
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
