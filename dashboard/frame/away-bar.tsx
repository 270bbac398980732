/** The bar that stands above a page while the server or its database does not answer, or cannot store anything; what was drawn stays. */
import { useSyncExternalStore, type JSX } from "react";
import { useQueryClient, type Query } from "@tanstack/react-query";
import { ApiProblem } from "../api/call.ts";
import { useCall } from "../api/queries.ts";
import { Icon } from "../ui/icons.tsx";
import classes from "./frame.module.css";

export function AwayBar(): JSX.Element {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  // Pages go on reading while nothing can be stored, so that they would not show it.
  const { error: unready } = useCall("getReadyz", {}, { everyMs: READY_POLL_MS });
  const away = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => describeAway(cache.findAll({ type: "active" })),
  );
  const words = away || describeUnready(unready);
  return (
    <div role="status">
      {words && (
        <div className={classes["away"]}>
          <Icon name="alert" />
          {words}
        </div>
      )}
    </div>
  );
}

const READY_POLL_MS = 10_000;

const describeUnready = (error: Error | null): string =>
  error instanceof ApiProblem && error.problem.status === 503 ? `${error.problem.detail} Trying again…` : "";

/** Returns whether the bar reports this error while old rows are visible. */
export const isReportedByBar = (error: Error): boolean =>
  error instanceof ApiProblem && (error.problem.status === 0 || error.problem.status === 503);

/** Returns the bar's text while old rows are visible; a page without any shows the refusal itself. */
function describeAway(queries: readonly Query[]): string {
  for (const { state } of queries) {
    const { error } = state;
    if (!(error instanceof ApiProblem) || state.data === undefined) continue;
    if (error.problem.status === 0) return "Busbar does not answer. Trying again…";
    if (error.problem.status === 503) return "The database does not answer. Trying again…";
  }
  return "";
}
