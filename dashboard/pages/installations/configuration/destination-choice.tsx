/** Where records or events of an object go: the manifest's destination, or another one of the project. */
import type { JSX } from "react";
import { NativeSelect } from "@mantine/core";
import { useCall } from "../../../api/queries.ts";
import { useProjectName } from "../../../frame/project.ts";

interface DestinationChoiceProps {
  description: string;
  /** Undefined or empty: as the manifest says. */
  destination: string | undefined;
  manifest: string | undefined;
  error: string | undefined;
  onDestination: (destination: string | undefined) => void;
}

export function DestinationChoice(props: DestinationChoiceProps): JSX.Element {
  const { description, destination, manifest, error, onDestination } = props;
  const projectIdOrName = useProjectName();
  const known = useCall("listDestinations", { projectIdOrName }, { staysFresh: true }).data;
  const names = known?.map(({ name }) => name) ?? [];
  const isGone = destination && known && !names.includes(destination);
  const others = destination && !names.includes(destination) ? [destination] : [];
  return (
    <NativeSelect
      label="Destination"
      description={description}
      data={[{ value: "", label: `As the manifest: ${manifest || "none"}` }, ...others, ...names]}
      value={destination ?? ""}
      error={error ?? (isGone ? "This destination does not exist." : undefined)}
      onChange={(event) => onDestination(event.currentTarget.value || undefined)}
    />
  );
}
