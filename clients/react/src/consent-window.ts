/** The window in which the customer agrees at the provider, and its messages. */

/** Why a window brought no answer. */
export class ConsentEnded extends Error {
  override readonly name = "ConsentEnded";
  readonly reason: "blocked" | "closed" | "cancelled" | "timedOut";

  constructor(reason: ConsentEnded["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

export interface ConsentWindow {
  /** Leads the window to `url`, a page of Busbar, and returns what `read` makes of a message that comes back. */
  visit<Value>(url: string, read: (data: unknown) => Value | undefined): Promise<Value>;
  close(): void;
}

const FEATURES = "popup,width=600,height=720";
const LOOK_MS = 500;
/** The message of a window that closes itself may come after its end was seen. */
const LATE_MESSAGE_MS = 1_000;
/** Busbar's pages are valid for ten minutes before the provider's, and for ten there. */
const LONGEST_MS = 20 * 60_000;

/** Opens an empty window. Call it while a click is handled: browsers block it later. */
export function openConsentWindow(signal: AbortSignal): ConsentWindow {
  let popup = window.open("", "", FEATURES);
  if (!popup) throw new ConsentEnded("blocked");
  const close = () => popup?.close();
  signal.addEventListener("abort", close, { once: true });
  let visits = 0;
  return {
    close,
    async visit(url, read) {
      // The customer may close the window after the first of several pages, as it says, before the next is known.
      if (popup?.closed && visits > 0) popup = window.open("", "", FEATURES);
      if (!popup) throw new ConsentEnded("blocked");
      visits += 1;
      if (popup.closed) throw new ConsentEnded("closed");
      popup.location.href = url;
      return await listen(popup, new URL(url).origin, read, signal);
    },
  };
}

/** Waits for a message of this window. Messages of other windows and origins are not looked at. */
function listen<Value>(
  popup: Window,
  origin: string,
  read: (data: unknown) => Value | undefined,
  signal: AbortSignal,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const listening = new AbortController();
    const end = (act: () => void) => {
      listening.abort();
      clearInterval(looking);
      clearTimeout(tooLong);
      act();
    };
    const fail = (reason: ConsentEnded["reason"]) => end(() => reject(new ConsentEnded(reason)));
    const looking = setInterval(() => {
      if (!popup.closed) return;
      clearInterval(looking);
      setTimeout(() => fail("closed"), LATE_MESSAGE_MS);
    }, LOOK_MS);
    const tooLong = setTimeout(() => fail("timedOut"), LONGEST_MS);
    const receive = (event: MessageEvent) => {
      if (event.source !== popup || event.origin !== origin) return;
      const value = read(event.data);
      if (value !== undefined) end(() => resolve(value));
    };
    addEventListener("message", receive, { signal: listening.signal });
    signal.addEventListener("abort", () => fail("cancelled"), { signal: listening.signal });
    if (signal.aborted) fail("cancelled");
  });
}
