import { startPostgres } from '../../tools/servers/postgres/postgres-server.ts';

// Starts a server, prints its data folder, and waits to be killed.

const server = await startPostgres();
console.log(server.dataFolder);
setInterval(() => undefined, 60_000);
