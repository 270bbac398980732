/** Why an installation or a customer is not healthy, and since when. */
import type { JSX } from "react";
import { Alert, List } from "@mantine/core";
import { CodeWords } from "../../ui/code/code-block.tsx";
import { Icon } from "../../ui/icons.tsx";
import { isolateName } from "../../ui/isolated.ts";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { encodePart, ProjectLink } from "../page-link.tsx";

interface HealthReason {
  type: string;
  name: string;
  detail: string;
  since: string;
}

export const HEALTH_WORDS: Record<string, string> = {
  connection: "Connection to",
  destination: "Destination",
  field: "Field",
  object: "Object",
  read: "Reading",
  subscription: "Subscription to",
  write: "Writing to",
  worker: "Role",
};

export const HealthReasons = ({ reasons }: { reasons: readonly HealthReason[] }): JSX.Element | null =>
  reasons.length === 0 ? null : (
    <Alert role="status" color="red" title="Not healthy" icon={<Icon name="alert" />}>
      <List listStyleType="none" spacing={4}>
        {reasons.map((reason) => (
          <List.Item key={`${reason.type} ${reason.name} ${reason.detail}`}>
            {HEALTH_WORDS[reason.type] ?? reason.type} <b>{nameOrLink(reason)}</b>:{" "}
            <CodeWords text={reason.detail} /> Since <TimeAgo time={reason.since} focusable />.
          </List.Item>
        ))}
      </List>
    </Alert>
  );

const nameOrLink = ({ type, name }: HealthReason): JSX.Element | string =>
  type === "destination" ? (
    <ProjectLink to={`/destinations/${encodePart(name)}`}>{name}</ProjectLink>
  ) : (
    isolateName(name)
  );
