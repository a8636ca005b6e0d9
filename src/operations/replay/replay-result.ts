import { ExternalError, type Failure, UserError } from '../../runtime/failure.ts';
import type { OperationOutcome, OperationResult } from '../operation.ts';
import { code, fact, listTable, plain, type Text } from '../report.ts';
import { pluralize, summarizeList } from '../sentences.ts';

export type ItemState =
  /** Recorded now. */
  | 'delivered'
  /** It was on record before: the service knows its idempotency key. */
  | 'on record'
  /** An earlier replay of the same folder delivered it. */
  | 'delivered before'
  /** It is damaged, not genuine, or not accepted by the service: unless corrected, it fails again. */
  | 'refused'
  /** The service or GitHub could not be reached: another replay may deliver it. */
  | 'failed'
  /** A dry run. */
  | 'not sent';

/** An item and its outcome. */
export interface ReplayedItem {
  /** Its path below the folder of the spools. */
  readonly name: string;
  readonly state: ItemState;
  /** Why it was not delivered. */
  readonly reason?: string;
  /** How to correct the cause, if the service refused it; the item itself is good. */
  readonly remedy?: string;
  /** What it does not count for, if it was delivered. */
  readonly limit?: string;
  /** Absent if it could not be read. */
  readonly operation?: string;
  /** When it was gathered, in ISO 8601; absent if it could not be read. */
  readonly gatheredAt?: string;
  /** What it is about, such as `web/4f2c…`; absent if it could not be read. */
  readonly subject?: string;
}

const marks: Readonly<Record<ItemState, string>> = {
  delivered: '✅ delivered',
  'on record': '✅ was on record already',
  'delivered before': '✅ delivered before',
  refused: '❌ refused',
  failed: '⛔ failed',
  'not sent': '⏭️ not sent',
};

const maximumRows = 200;

/** The result of a replay: red if anything was not delivered. */
export function createReplayResult(items: readonly ReplayedItem[]): OperationResult {
  const count = (state: ItemState): number => items.filter((item) => item.state === state).length;
  const undelivered = items.filter(({ state }) => state === 'refused' || state === 'failed');
  const states = (Object.keys(marks) as ItemState[]).flatMap((state) =>
    count(state) === 0 ? [] : [`${count(state)} ${state}`],
  );
  const limited = items.filter(({ limit }) => limit !== undefined).length;
  const rest = limited === 0 ? '' : ` ${limited} of them ${limited === 1 ? 'counts' : 'count'} for no environment.`;
  const conclusion =
    items.length === 0
      ? 'There is no kept evidence to deliver.'
      : `Of ${pluralize(items.length, 'kept item')}: ${states.join(', ')}.${rest}`;
  return {
    ...toOutcome(items, undelivered),
    conclusion,
    response: items.map(({ name, state, reason, remedy, limit, operation, gatheredAt, subject }) => ({
      item: name,
      state,
      reason,
      remedy,
      limit,
      operation,
      gathered_at: gatheredAt,
      subject,
    })),
    count: items.length,
    report: {
      subject: 'Replay of kept evidence',
      facts: [...fact('Items', String(items.length)), ...fact('Result', states.join(', '))],
      tables: listTable(
        'Items',
        ['Item', 'Operation', 'About', 'Gathered at', 'Result'],
        [...undelivered, ...items.filter((item) => !undelivered.includes(item))].slice(0, maximumRows).map(toRow),
        items.length,
      ),
    },
  };
}

function toRow({ name, state, limit, reason = limit, operation, gatheredAt, subject }: ReplayedItem): readonly Text[] {
  const result = reason === undefined ? marks[state] : `${marks[state]}: ${reason}`;
  return [code(name), plain(operation ?? ''), plain(subject ?? ''), plain(gatheredAt ?? ''), plain(result)];
}

function toOutcome(items: readonly ReplayedItem[], undelivered: readonly ReplayedItem[]): OperationOutcome {
  if (undelivered.length > 0) return { outcome: 'error', failure: toFailure(undelivered) };
  return { outcome: items.some(({ state }) => state === 'not sent') ? 'skipped' : 'done' };
}

/** The maximum number of items in the error. */
const maximumNamed = 3;

const gatherAgain =
  'Look at the reasons of the refused items, and gather their evidence again by running their workflow again.';

function toFailure(undelivered: readonly ReplayedItem[]): Failure {
  const named = undelivered.map(({ name, state, reason }) => `${name} ${state}: ${reason ?? 'unknown'}`);
  const what = `${pluralize(undelivered.length, 'kept item')} could not be delivered: ${summarizeList(named, maximumNamed)}`;
  const refused = undelivered.filter(({ state }) => state === 'refused');
  const again = 'Run the replay again later; nothing is recorded twice.';
  if (refused.length === 0) return new ExternalError({ what, remedy: again });
  const corrections = [...new Set(refused.flatMap(({ remedy = '' }) => (remedy === '' ? [] : [remedy])))];
  const remedies = [
    ...(refused.length < undelivered.length ? [again] : []),
    ...corrections.slice(0, maximumNamed),
    ...(corrections.length > 0 ? ['Then run the replay again; the items stay as they are.'] : []),
    ...(refused.some(({ remedy }) => remedy === undefined) ? [gatherAgain] : []),
  ];
  return new UserError({ what, remedy: remedies.join(' ') });
}
