/** A window in which a person connects an account at the provider; its last page posts the outcome to this one. */
import { useEffect, useRef, useState } from "react";

export interface ConsentWindow {
  /**
   * Opens a window, then leads it to the address that `begin` returns. Call it in the handler of a click: browsers block
   * windows that open later.
   */
  open: (begin: () => Promise<string>) => void;
  /** The address, if the browser opened no window. */
  link: string | undefined;
  /** Why the consent failed, in the words of its last page. */
  failure: string | undefined;
}

/** Returns what opens the provider's page in a window. `onConnected` is called with the id of the connection when the account was connected. */
export function useConsentWindow(onConnected: (connectionId: string | undefined) => void): ConsentWindow {
  const opened = useRef<Window | null>(null);
  const newest = useRef(onConnected);
  const [link, setLink] = useState<string>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    newest.current = onConnected;
  });
  useEffect(() => {
    const onMessage = ({ source, origin, data }: MessageEvent) => {
      if (source === null || source !== opened.current || origin !== location.origin) return;
      const { eventType, message, data: result } = parseMessage(data);
      if (eventType === "AUTHORIZATION_SUCCEEDED") newest.current(result?.connection);
      if (eventType === "AUTHORIZATION_FAILED") setFailure(message ?? "The account was not connected.");
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, []);
  const open = (begin: () => Promise<string>) => {
    setLink(undefined);
    setFailure(undefined);
    const consent = window.open("about:blank", "_blank", "width=640,height=800");
    opened.current = consent;
    begin().then(
      (url) => {
        if (consent) consent.location.href = url;
        else setLink(url);
      },
      () => consent?.close(),
    );
  };
  return { open, link, failure };
}

interface ConsentMessage {
  eventType?: string;
  message?: string;
  data?: { connection?: string };
}

const parseMessage = (data: unknown): ConsentMessage =>
  typeof data === "object" && data !== null ? (data as ConsentMessage) : {};
