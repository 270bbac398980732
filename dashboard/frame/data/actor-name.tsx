/** Who did something: the name of a person, the label of a key. */
import type { JSX } from "react";
import { useCall } from "../../api/queries.ts";
import { describeActor } from "./actor-words.ts";
import { useProjectName, useShownProject } from "../project.ts";

/** `actor` is as in the API, such as `builder:<id>` or `apiKey:<id>`; it is the tooltip. */
export function ActorName({ actor }: { actor: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const orgId = useShownProject()?.orgId ?? "";
  const isKey = actor.startsWith("apiKey:");
  const isPerson = actor.startsWith("builder:") && orgId !== "";
  const keys = useCall("listApiKeys", { projectIdOrName }, { enabled: isKey, staysFresh: true });
  const people = useCall("listOrgBuilders", { orgId }, { enabled: isPerson, staysFresh: true });
  return (
    <span className="foreign" title={actor}>
      {describeActor(actor, { keys: keys.data ?? [], people: people.data ?? [] })}
    </span>
  );
}
