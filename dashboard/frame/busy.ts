/** Tells assistive technology and tests when a page has drawn its first answers. */
import { useEffect, useState } from "react";
import { useIsFetching } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";

/** A page that has just been drawn begins its calls within this time. */
const SETTLE_MS = 40;

export function useBusy(): boolean {
  const isLoading = useRouterState({ select: ({ status }) => status === "pending" });
  const first = useIsFetching({ predicate: ({ state }) => state.status === "pending" });
  const isWorking = isLoading || first > 0;
  const href = useRouterState({ select: ({ location }) => location.pathname });
  const [settled, setSettled] = useState("");
  useEffect(() => {
    if (isWorking) return;
    const timer = setTimeout(() => setSettled(href), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [isWorking, href]);
  return isWorking || settled !== href;
}
