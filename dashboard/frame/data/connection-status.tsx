/** The status of a connection, with what its word leaves out: credentials that nobody has accepted yet, or that get no new token. */
import type { JSX } from "react";
import type { Schemas } from "../../api.gen.ts";
import { Status } from "../../ui/status.tsx";

type Connection = Pick<Schemas["Connection"], "status" | "verified" | "refreshFailure">;

export function ConnectionStatus({ connection }: { connection: Connection }): JSX.Element {
  const { status, verified, refreshFailure } = connection;
  if (status !== "bad_credentials" && refreshFailure) return <Status status="failing" />;
  return <Status status={status === "created" && !verified ? "unverified" : status} />;
}
