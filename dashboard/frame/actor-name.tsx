/** Who did something: the name of a person, the label of a key. */
import type { JSX } from "react";
import { useCall } from "../api/queries.ts";
import { useProjectName, useShownProject } from "./project.ts";

/** `actor` is as in the API: `builder:<id>`, `apiKey:<id>` or `system`. Unknown ones are shown as they are. */
export function ActorName({ actor }: { actor: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const orgId = useShownProject()?.orgId ?? "";
  const [kind, id] = actor.split(":");
  const keys = useCall("listApiKeys", { projectIdOrName }, { enabled: kind === "apiKey", staysFresh: true });
  const isPerson = kind === "builder" && orgId !== "";
  const people = useCall("listOrgBuilders", { orgId }, { enabled: isPerson, staysFresh: true });
  const key = keys.data?.find((one) => one.id === id);
  const person = people.data?.find((one) => one.id === id);
  const name = key ? `API key ${key.label}` : (person?.fullName ?? person?.primaryEmail);
  return (
    <span className="foreign" title={actor}>
      {name ?? actor}
    </span>
  );
}
