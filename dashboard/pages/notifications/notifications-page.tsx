/** How events reach destinations: types, topics and destinations, with the routes between them. */
import { useState, type JSX, type ReactNode } from "react";
import { Button, SimpleGrid, Stack } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { POLL_MS, useCall, useChange } from "../../api/queries.ts";
import { Page } from "../../frame/page.tsx";
import { part, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Section } from "../../ui/section.tsx";
import { NewTopic } from "./new-topic.tsx";

type Topic = Schemas["Topic"];

export function NotificationsPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName };
  const { data: topics, error, refetch } = useCall("listTopics", input, { everyMs: POLL_MS.list });
  const destinations = useCall("listDestinations", input, { everyMs: POLL_MS.list }).data ?? [];
  const [creating, setCreating] = useState(false);
  const reason = useReason("editor");
  return (
    <Page
      title="Notifications"
      about="Events are published under topics, and topics lead to destinations."
      actions={
        <ActionButton reason={reason} onClick={() => setCreating(true)}>
          New topic
        </ActionButton>
      }
    >
      <ProblemView error={topics ? null : error} onRetry={() => void refetch()} />
      {topics?.length === 0 && (
        <Section flush>
          <EmptyState title="No topics yet">
            A topic says which events go to which destinations. Without one, events go nowhere.
          </EmptyState>
        </Section>
      )}
      {topics?.map((topic) => (
        <TopicLines key={topic.id} topic={topic} destinations={destinations} reason={reason} />
      ))}
      <NewTopic opened={creating} onClose={() => setCreating(false)} destinations={destinations} />
    </Page>
  );
}

interface TopicLinesProps {
  topic: Topic;
  destinations: readonly Schemas["Destination"][];
  reason: string | undefined;
}

/** One topic with a line from each of its types and to each of its destinations. */
function TopicLines({ topic, destinations, reason }: TopicLinesProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const { id: topicId, name, eventTypes, destinationIds } = topic;
  const cut = useChange("updateTopic", { forget: ["listTopics"] });
  const remove = useChange("deleteTopic", { forget: ["listTopics"] });
  const [deleting, setDeleting] = useState(false);
  const nameOf = (id: string) => destinations.find((one) => one.id === id)?.name ?? id;
  return (
    <Section
      title={name}
      actions={
        <ActionButton variant="default" size="compact-sm" reason={reason} onClick={() => setDeleting(true)}>
          Delete
        </ActionButton>
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Lines
          title="Event types →"
          topic={name}
          reason={reason}
          items={eventTypes.map((type) => ({
            key: type,
            label: type,
            text: type,
            onCut: () =>
              cut.mutate({
                projectIdOrName,
                topicId,
                body: { eventTypes: eventTypes.filter((one) => one !== type) },
              }),
          }))}
        />
        <Lines
          title="→ Destinations"
          topic={name}
          reason={reason}
          items={destinationIds.map((id) => ({
            key: id,
            label: <ProjectLink to={`/destinations/${part(nameOf(id))}`}>{nameOf(id)}</ProjectLink>,
            text: nameOf(id),
            onCut: () =>
              cut.mutate({
                projectIdOrName,
                topicId,
                body: { destinationIds: destinationIds.filter((one) => one !== id) },
              }),
          }))}
        />
      </SimpleGrid>
      <ProblemView error={cut.error} />
      <ConfirmDelete
        opened={deleting}
        what={`topic ${name}`}
        busy={remove.isPending}
        problem={<ProblemView error={remove.error} />}
        onDelete={() => remove.mutate({ projectIdOrName, topicId }, { onSuccess: () => setDeleting(false) })}
        onClose={() => setDeleting(false)}
      >
        Its routes are deleted too. Deliveries that have begun continue.
      </ConfirmDelete>
    </Section>
  );
}

interface LinesProps {
  title: string;
  topic: string;
  reason: string | undefined;
  items: readonly { key: string; label: ReactNode; text: string; onCut: () => void }[];
}

const Lines = ({ title, topic, reason, items }: LinesProps): JSX.Element => (
  <Stack gap={4}>
    <strong>{title}</strong>
    {items.map(({ key, label, text, onCut }) => (
      <div key={key}>
        {label}{" "}
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          disabled={reason !== undefined}
          aria-label={`Cut ${text} from ${topic}`}
          onClick={onCut}
        >
          Cut
        </Button>
      </div>
    ))}
    {items.length === 0 && <span>none</span>}
  </Stack>
);
