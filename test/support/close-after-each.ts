import { afterEach } from '@jest/globals';

/** Something that must be closed, such as a server or a client. */
export interface Closable {
  close(): Promise<void>;
}

/** Returns a function that registers what a test opens. It is closed after the test, in reverse order. */
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
