/** Log entries of an operation for the requests that it sent to the provider. */
import type { Exchange } from "../calls/authorized-fetch.ts";
import type { LogEntry } from "../store/operations/operations.ts";

export const exchangeEntry = ({ method, path, status, failure }: Exchange): LogEntry => ({
  severity: "DEBUG",
  msg: `${method} ${path} → ${status ?? failure}`,
});

/** Returns whether the entry is of a request to the provider: nothing else is logged as `DEBUG`. */
export const isExchange = (entry: LogEntry): boolean => entry.severity === "DEBUG";
