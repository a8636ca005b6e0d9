/**
 * Processes all items with limited concurrency, starting them in order.
 *
 * @param maximum the maximum number of items in progress at a time, at least 1
 * @returns the results in the order of the items
 * @throws the first error that `work` throws; no further item is started then
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  maximum: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let failed = false;
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (failed) return;
      try {
        results[index] = await work(item);
      } catch (thrown) {
        failed = true;
        throw thrown;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maximum, items.length) }, worker));
  return results;
}
