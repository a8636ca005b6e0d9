import { type PostgresOptions, PostgresServer } from './postgres-server.ts';

/** A primary whose commits wait for its standby. */
export interface PostgresPair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  /** The address of both. After a failover the other one is the primary, so clients must find out which one it is. */
  readonly url: string;
  remove(): Promise<void>;
}

/** Starts a primary and a synchronous standby. */
export async function startPostgresPair(options: PostgresOptions = {}): Promise<PostgresPair> {
  const primary = await PostgresServer.create(options);
  const servers = [primary];
  const remove = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.remove()));
  };
  try {
    const standby = await primary.createStandby();
    servers.push(standby);
    await primary.start({ synchronous_standby_names: standby.name });
    await standby.start();
    const url = primary.url.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`);
    return { primary, standby, url, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
