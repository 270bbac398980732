/** What the API finds by an id or a name, as entries of the palette. */
import { useEffect, useState } from "react";
import type { Schemas } from "../../api.gen.ts";
import { useCall } from "../../api/queries.ts";
import { encodePart, toProjectPath, toInstallationPath, toRecordPath } from "../page-link.tsx";
import { useShownProject } from "../project.ts";

const PAUSE_MS = 200;

/** Searches once the person has paused typing. */
export function useFound(text: string): { entries: PaletteEntry[]; isSearching: boolean } {
  const project = useShownProject();
  const [q, setQ] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQ(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const enabled = q !== "" && project !== undefined;
  const projectIdOrName = project?.name ?? "_";
  const { data, isFetching } = useCall("find", { projectIdOrName, q: q.slice(0, 200) || "-" }, { enabled });
  // Results of the previous text are left out: Enter would open one of them.
  const found = (enabled && q === text && data ? data.results : []).flatMap((one) => {
    const path = findPagePath(one);
    return path
      ? [
          {
            to: toProjectPath(projectIdOrName, path),
            title: one.name,
            kind: KIND_WORDS[one.kind] ?? one.kind,
            healthStatus: one.healthStatus,
          },
        ]
      : [];
  });
  const isSearching = text !== "" && (q !== text || isFetching);
  const isId = project && !isSearching && isLikeId(text);
  return { entries: isId ? [...found, traceEntry(project.name, text)] : found, isSearching };
}

/** Returns the entry that opens a record's trace: it explains why a record that cannot be found did not arrive. */
const traceEntry = (projectName: string, recordId: string): PaletteEntry => ({
  to: toProjectPath(projectName, `/trace?record=${encodePart(recordId)}`),
  title: `Why did the record ${recordId} not arrive?`,
  kind: "trace",
});

const isLikeId = (text: string): boolean => /\d/.test(text) && !/\s/.test(text);

type Found = Schemas["Found"];

const KIND_WORDS: Partial<Record<Found["kind"], string>> = {
  group: "customer",
  apiKey: "API key",
  proxyCall: "proxy call",
};

/** Returns the page of what was found, below the project. */
function findPagePath({
  kind,
  id,
  in: within = "",
  object = "",
  integration = "",
}: Found): string | undefined {
  switch (kind) {
    case "operation":
      return `/operations/${encodePart(id)}`;
    case "connection":
      return `/connections/${encodePart(id)}`;
    case "integration":
      return `/integrations/${encodePart(id)}`;
    case "installation":
      return toInstallationPath(within, id);
    case "record":
      return toRecordPath({ integrationId: integration, installationId: within }, object, id);
    case "group":
      return `/customers/${encodePart(id)}`;
    case "destination":
      return `/destinations/${encodePart(id)}`;
    case "delivery":
      return `/destinations/${encodePart(within)}/deliveries/${encodePart(id)}`;
    case "event":
      return `/events?text=${encodePart(id)}&event=${encodePart(id)}`;
    case "topic":
      return "/notifications";
    case "apiKey":
      return "/api-keys";
    case "proxyCall":
      return `/proxy-calls?installationId=${encodePart(within)}`;
    case "request":
      return `/requests?text=${encodePart(id)}&request=${encodePart(id)}`;
    default:
      return undefined;
  }
}

/** A line of the command palette. */
export interface PaletteEntry {
  to: string;
  title: string;
  kind: string;
  healthStatus?: Found["healthStatus"];
}
