import { median } from './statistics.ts';

/**
 * Measures several things in turn (A B C A B C …), so that other load on the machine affects all of them equally. A
 * first round fills caches and is not counted.
 *
 * @returns the samples of each, in the order of the rounds
 */
export async function interleave<Samples extends object>(
  probes: { readonly [Name in keyof Samples]: () => Samples[Name] | Promise<Samples[Name]> },
  rounds: number,
): Promise<{ readonly [Name in keyof Samples]: readonly Samples[Name][] }> {
  const taken = Object.entries<() => unknown>(probes).map(([name, probe]) => {
    const samples: unknown[] = [];
    return { name, probe, samples };
  });
  for (let round = 0; round <= rounds; round += 1) {
    for (const { probe, samples } of taken) {
      const sample = await probe();
      if (round > 0) samples.push(sample);
    }
  }
  // `probes` has the same names, and returned the samples.
  const gathered: object = Object.fromEntries(taken.map(({ name, samples }) => [name, samples]));
  return gathered as { readonly [Name in keyof Samples]: readonly Samples[Name][] };
}

/** Like `interleave`, but returns the median of each. */
export async function interleavedMedians<Name extends string>(
  probes: Readonly<Record<Name, () => number | Promise<number>>>,
  rounds: number,
): Promise<Readonly<Record<Name, number>>> {
  const samples = await interleave<Readonly<Record<Name, number>>>(probes, rounds);
  const medians = Object.entries<readonly number[]>(samples).map(([name, values]) => [name, median(values)]);
  // `samples` has the same names.
  return Object.fromEntries(medians) as Record<Name, number>;
}
