/** Wakes the worker of this process when there is new work, so that it need not wait for its next poll of the queue. */

/** What stores work announces it; the worker is started later, or in other processes only. */
export class NewWork {
  #wakeWorker: (() => void) | undefined;

  /** False: the work waits for a worker of another process. */
  get hasWorker(): boolean {
    return this.#wakeWorker !== undefined;
  }

  /** Call when the work is committed. */
  announce(): void {
    this.#wakeWorker?.();
  }

  /** Connects the announcements to the worker. */
  wakes(worker: { wake(): void }): void {
    this.#wakeWorker = () => worker.wake();
  }

  /** The worker of this process has stopped. */
  wakesNone(): void {
    this.#wakeWorker = undefined;
  }
}
