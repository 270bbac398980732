/** The bar that stands above a page while the server or its database does not answer; what was drawn stays. */
import type { JSX } from "react";
import { useQueryClient, type Query } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { ApiProblem } from "../api/call.ts";
import { Icon } from "../ui/icons.tsx";
import classes from "./frame.module.css";

export function AwayBar(): JSX.Element {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const words = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () => awayWords(cache.findAll({ type: "active" })),
  );
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

/** Returns whether the bar tells of this error, if old rows are in sight. */
export const isReportedByBar = (error: Error): boolean =>
  error instanceof ApiProblem && (error.problem.status === 0 || error.problem.status === 503);

/** Only while old rows are in sight: a page without any shows the refusal itself. */
function awayWords(queries: readonly Query[]): string {
  for (const { state } of queries) {
    const { error } = state;
    if (!(error instanceof ApiProblem) || state.data === undefined) continue;
    if (error.problem.status === 0) return "Busbar does not answer. Trying again…";
    if (error.problem.status === 503) return "The database does not answer. Trying again…";
  }
  return "";
}
