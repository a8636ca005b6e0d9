import { afterEach } from '@jest/globals';

/** What must be closed: a server, a client, a transport. */
export interface Closable {
  close(): Promise<void>;
}

/** Gives a function that remembers what a test opens, and closes it after that test, the last one first. */
export function closeAfterEach(): <Opened extends Closable>(opened: Opened) => Opened {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const closable of open.splice(0).reverse()) await closable.close();
  });
  return (opened) => {
    open.push(opened);
    return opened;
  };
}
