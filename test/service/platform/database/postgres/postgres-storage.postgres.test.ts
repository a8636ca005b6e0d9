import { Connections } from '../../../../../src/service/platform/database/postgres/connections.ts';
import { parseDatabaseUrl } from '../../../../../src/service/platform/database/postgres/database-url.ts';
import { PostgresStorage } from '../../../../../src/service/platform/database/postgres/postgres-storage.ts';
import { borrowTestDatabase } from '../../../../support/postgres.ts';
import { Records } from '../../../../support/records.ts';
import { storageDependencies } from '../../../../support/storage-dependencies.ts';
import { describeAccounts } from '../accounts-acceptance.ts';
import { describeAttestationList } from '../attestation-list-acceptance.ts';
import { describeBroadcasts } from '../broadcasts-acceptance.ts';
import { describeClaims } from '../claims-acceptance.ts';
import { describeEnvironments } from '../environments-acceptance.ts';
import { describeGithub } from '../github-acceptance.ts';
import { describeLogins } from '../login-acceptance.ts';
import { describeLookups } from '../lookups-acceptance.ts';
import { describeNotifications } from '../notifications-acceptance.ts';
import { describePages } from '../pages-acceptance.ts';
import { describeIdempotencyKeys } from '../remembered-answers-acceptance.ts';
import { describeStorage, type OpenStorage, type StorageUnderTest } from '../storage-acceptance.ts';
import { describeTrailVerdicts } from '../trail-verdicts-acceptance.ts';
import { describeTrails } from '../trails-acceptance.ts';
import { describeTransactions } from '../transactions-acceptance.ts';
import { describeWaitingWrites } from '../waiting-writes-acceptance.ts';

/** Opens a database with this many storages, as if each of them belonged to a process of its own. */
const openWith = (count: number) => async (): Promise<StorageUnderTest> => {
  const database = await borrowTestDatabase();
  const address = parseDatabaseUrl(database.url);
  const open = (): readonly PostgresStorage[] =>
    Array.from({ length: count }, () => new PostgresStorage(new Connections(address), storageDependencies()));
  let storages = open();
  const opened = (): OpenStorage => ({ records: takingTurns(storages.map((storage) => new Records(storage))) });
  const close = async (): Promise<void> => {
    for (const storage of storages) await storage.close();
  };
  return {
    ...opened(),
    reopen: async () => {
      await close();
      storages = open();
      return opened();
    },
    remove: async () => {
      await close();
      await database.giveBack();
    },
  };
};

/** Records of which each call goes to the next of these. */
function takingTurns(all: readonly Records[]): Records {
  const [first] = all;
  if (first === undefined) throw new RangeError('there must be records');
  let turn = 0;
  return new Proxy(first, {
    get: (_first, name) => {
      const records = all[(turn += 1) % all.length] ?? first;
      const value: unknown = Reflect.get(records, name);
      return typeof value === 'function' ? (value.bind(records) as unknown) : value;
    },
  });
}

const openTestStorage = openWith(1);
const openShared = openWith(2);

describeGithub('what GitHub waits for, in the PostgreSQL storage in two processes', openShared);
describeTrails('trails and flows of the PostgreSQL storage in two processes', openShared);
describeTransactions('transactions of the PostgreSQL storage', openTestStorage);
describeTransactions('transactions of two processes', openShared);
describeWaitingWrites('requests that wait for the PostgreSQL storage in two processes', openShared);
describeLookups('lookups in the PostgreSQL storage in two processes', openShared);
describeStorage('the PostgreSQL storage in two processes', openShared);
describeAccounts('the accounts of the PostgreSQL storage in two processes', openShared);
describeAttestationList('the list of attestations of the PostgreSQL storage in two processes', openShared);
describeEnvironments('the environments of the PostgreSQL storage in two processes', openShared);
describeIdempotencyKeys('the idempotency keys of the PostgreSQL storage in two processes', openShared);
describeNotifications('the notifications of the PostgreSQL storage', openTestStorage);
describeBroadcasts('the broadcasts of the PostgreSQL storage', openTestStorage);
describeClaims('the deliveries of two processes', openShared);
describeTrailVerdicts('the verdicts on trails of two processes', openShared);
describePages('what pages read from two processes', openShared);
describeLogins('the logins of the PostgreSQL storage in two processes', openShared);
