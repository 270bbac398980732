/** Holds calls back while the session has ended, until the person has signed in again. */

interface SessionGate {
  isClosed(): boolean;
  /** Calls the listener after every change; returns a function that ends that. */
  subscribe(listener: () => void): () => void;
  /** Closes the gate, and resolves when it opens. */
  waitForSignIn(signal?: AbortSignal): Promise<void>;
  open(): void;
}

function createGate(): SessionGate {
  let waiting: PromiseWithResolvers<void> | undefined;
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return {
    isClosed: () => waiting !== undefined,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waitForSignIn(signal) {
      if (!waiting) {
        waiting = Promise.withResolvers();
        notify();
      }
      const { promise } = waiting;
      if (!signal) return promise;
      return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
        void promise.then(resolve);
      });
    },
    open() {
      waiting?.resolve();
      waiting = undefined;
      notify();
    },
  };
}

export const sessionGate: SessionGate = createGate();
