/** A server that was created and can be started. */
interface Startable {
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a server, and returns it; removes it if it does not start. */
export async function startOrRemove<Server extends Startable>(server: Server): Promise<Server> {
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.remove();
    throw error;
  }
}
