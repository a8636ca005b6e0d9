import { join } from 'node:path';
import type { FilledService } from './filled-service.ts';
import { interleavedMedians } from './interleave.ts';
import { jobOf } from './job.ts';
import { peakMemory } from './peak-memory.ts';
import { type Row, withTarget } from './row.ts';
import { stepCommand } from './step-command.ts';
import { bytesOfMegabyte, megabytes, times } from './units.ts';

/** Few, because a step takes seconds, and its peak memory hardly differs between runs. */
const rounds = 5;

/** The peak memory of a step that lists all attestations, above that of a step that lists one page. */
export async function measurePagingMemory(
  filled: FilledService,
  { directory, workspace }: { readonly directory: string; readonly workspace: string },
): Promise<Row> {
  const { flow } = filled;
  const job = jobOf({ ...filled, workspace });
  const listing = (page: string): ReturnType<typeof stepCommand> =>
    stepCommand(join(directory, `list-${page}`), { ...job, inputs: { operation: 'list-attestations', flow, page } });
  const [one, all] = [await listing('1'), await listing('all')];
  const file = join(directory, 'peak-memory');
  const peak = await interleavedMedians({ one: () => peakMemory(one, file), all: () => peakMemory(all, file) }, rounds);
  const extra = peak.all - peak.one;
  return withTarget(
    {
      what: '`page: all` over 100,000 attestations, extra peak memory',
      figure: megabytes(extra),
      against: `one page ${megabytes(peak.one)}`,
      ratio: times(peak.all / peak.one),
    },
    extra,
    { better: 'lower', mustReach: 40 * bytesOfMegabyte, aimFor: 8 * bytesOfMegabyte },
    megabytes,
  );
}
