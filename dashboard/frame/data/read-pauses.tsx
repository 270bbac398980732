/** The objects of an installation that are not read for now, in a list. */
import type { JSX } from "react";
import type { RowOf } from "../../api/live-list.ts";
import { Status } from "../../ui/status.tsx";

export const ReadPauses = ({
  readPauses,
}: Pick<RowOf<"listProjectInstallations">, "readPauses">): JSX.Element | null =>
  readPauses.length === 0 ? null : (
    <Status status="paused">{`${readPauses.map(({ object }) => object).join(", ")} paused`}</Status>
  );
