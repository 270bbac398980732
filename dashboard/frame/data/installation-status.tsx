/** The health of an installation in a list, and which of its objects are not read for now. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { Status } from "../../ui/status.tsx";

export function InstallationStatus({
  healthStatus,
  readPauses,
}: Pick<RowOf<"listProjectInstallations">, "healthStatus" | "readPauses">): JSX.Element {
  const objects = readPauses.map(({ object }) => object).join(", ");
  return (
    <>
      <Status status={healthStatus} /> {objects && <Status status="paused">{`${objects} paused`}</Status>}
    </>
  );
}
