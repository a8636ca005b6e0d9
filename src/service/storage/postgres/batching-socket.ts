import { Socket } from 'node:net';

/**
 * A socket that sends together what the driver writes in one turn of the event loop. The driver corks the socket for
 * each statement only, so that statements that do not wait for each other would each take a system call, which takes
 * longer than everything else that the service does for a statement.
 */
export class BatchingSocket extends Socket {
  #isHeld = false;

  override cork(): void {
    if (!this.#isHeld) {
      this.#isHeld = true;
      super.cork();
      // After everything that has arrived is handled.
      setImmediate(() => {
        this.#isHeld = false;
        super.uncork();
      });
    }
    super.cork();
  }
}
