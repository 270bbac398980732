/** How events reach destinations: types, topics and destinations, with the routes between them. */
import { type JSX, useEffect, useState } from "react";
import { Button, Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { TableSkeleton } from "../../frame/list-page.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Section } from "../../ui/section.tsx";
import { NewTopic } from "./new-topic.tsx";
import { TopicLines } from "./topic-lines.tsx";
import type { Input } from "../../api/call.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { Status } from "../../ui/status.tsx";

export function NotificationsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName };
  const { data: topics, error, refetch } = useCall("listTopics", input, { everyMs: POLL_MS.list });
  const destinations = useCall("listDestinations", input, { everyMs: POLL_MS.list }).data ?? [];
  const types = useCall("listEventTypes", {}, { staysFresh: true }).data ?? [];
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<Schemas["Topic"]>();
  const reason = useReason("editor");
  const button = (
    <ActionButton reason={reason} onClick={() => setCreating(true)}>
      New topic
    </ActionButton>
  );
  return (
    <Page
      title="Notifications"
      about="Events are published under topics, and topics lead to destinations."
      actions={button}
    >
      <ProblemView error={topics ? null : error} onRetry={() => void refetch()} />
      {!topics && !error && <TableSkeleton />}
      {created && (
        <SampleAnswers
          key={created.id}
          topic={created}
          getName={(id) => destinations.find((one) => one.id === id)?.name ?? id}
          onClose={() => setCreated(undefined)}
        />
      )}
      {topics?.length === 0 && (
        <Section flush>
          <EmptyState
            title="No topics yet"
            action="Create a topic"
            reason={reason}
            onAction={() => setCreating(true)}
          >
            A topic says which events go to which destinations. Without one, events go nowhere.
          </EmptyState>
        </Section>
      )}
      {topics?.map((topic) => (
        <TopicLines
          key={topic.id}
          topic={topic}
          types={types.map(({ type }) => type)}
          destinations={destinations}
          reason={reason}
        />
      ))}
      {topics && topics.length > 0 && <Unrouted topics={topics} types={types} />}
      {creating && (
        <NewTopic onClose={() => setCreating(false)} onCreated={setCreated} destinations={destinations} />
      )}
    </Page>
  );
}

interface UnroutedProps {
  topics: readonly Schemas["Topic"][];
  types: readonly Schemas["EventTypeInfo"][];
}

/** Types whose events go nowhere. */
function Unrouted({ topics, types }: UnroutedProps): JSX.Element | null {
  const routed = new Set(topics.flatMap(({ eventTypes }) => eventTypes));
  const others = types.filter(({ type, built }) => built && !routed.has(type));
  if (others.length === 0) return null;
  return (
    <Section title="Types without a topic">
      <Text size="sm">Events of these types go nowhere: {others.map(({ type }) => type).join(", ")}.</Text>
    </Section>
  );
}

interface SampleAnswersProps {
  topic: Schemas["Topic"];
  getName: (destinationId: string) => string;
  onClose: () => void;
}

/** Shows what the destinations of a new topic answer to a sample of its first type. */
function SampleAnswers({ topic, getName, onClose }: SampleAnswersProps): JSX.Element | null {
  const [type] = topic.eventTypes;
  if (type === undefined || topic.destinationIds.length === 0) return null;
  return (
    <Section
      title={`${topic.name} is created; a sample was sent`}
      actions={
        <Button variant="default" size="compact-sm" onClick={onClose}>
          Close
        </Button>
      }
    >
      <Stack gap="xs">
        {topic.destinationIds.map((id) => (
          <Answer key={id} id={id} name={getName(id)} type={type} />
        ))}
      </Stack>
    </Section>
  );
}

type EventType = NonNullable<Input<"testDestination">["body"]>["eventType"];

function Answer({ id, name, type }: { id: string; name: string; type: string }): JSX.Element {
  const projectIdOrName = useProjectName();
  const { mutate, data, error } = useChange("testDestination");
  useEffect(() => {
    // The type is one of those that the API listed.
    mutate({ projectIdOrName, destination: id, body: { eventType: type as EventType } });
  }, [mutate, projectIdOrName, id, type]);
  const { status, error: failure, durationMs, answer = "" } = data?.attempt ?? {};
  return (
    <div role="status">
      <Group gap="xs">
        <ProjectLink to={`/destinations/${encodePart(name)}`}>{name}</ProjectLink>
        {!data && !error && <Text size="sm">Sending {type} …</Text>}
        {data && <Status status={data.delivered ? "delivered" : "failed"} />}
        {data && (
          <Text size="sm" className="foreign">
            {[status, failure, `${durationMs} ms`, answer.slice(0, 200)].filter(Boolean).join(" · ")}
          </Text>
        )}
      </Group>
      <ProblemView error={error} />
    </div>
  );
}
