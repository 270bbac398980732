/** One topic with a line from each of its event types and to each of its destinations. */
import { useState, type JSX, type ReactNode } from "react";
import { CloseButton, NativeSelect } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useChange } from "../../api/queries.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import { Section } from "../../ui/section.tsx";
import classes from "./topic-lines.module.css";

interface TopicLinesProps {
  topic: Schemas["Topic"];
  types: readonly string[];
  destinations: readonly Schemas["Destination"][];
  /** Why the person may not change it. */
  reason: string | undefined;
}

export function TopicLines({ topic, types, destinations, reason }: TopicLinesProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const { id: topicId, name, eventTypes, destinationIds } = topic;
  const change = useChange("updateTopic", { forget: ["listTopics"] });
  const [deleting, setDeleting] = useState(false);
  const getName = (id: string) => destinations.find((one) => one.id === id)?.name ?? id;
  const routeTypes = (next: readonly string[]) =>
    change.mutate({ projectIdOrName, topicId, body: { eventTypes: next } });
  const routeTo = (next: readonly string[]) =>
    change.mutate({ projectIdOrName, topicId, body: { destinationIds: next } });
  return (
    <Section
      title={name}
      actions={
        <ActionButton variant="default" size="compact-sm" reason={reason} onClick={() => setDeleting(true)}>
          Delete
        </ActionButton>
      }
    >
      <div className={classes["lines"]}>
        <Side
          title="Event types"
          none="No type: nothing is published under this topic."
          topic={name}
          mayChange={reason === undefined}
          items={eventTypes.map((type) => ({ key: type, text: type, label: type }))}
          more={types
            .filter((type) => !eventTypes.includes(type))
            .map((type) => ({ value: type, label: type }))}
          onCut={(type) => routeTypes(eventTypes.filter((one) => one !== type))}
          onAdd={(type) => routeTypes([...eventTypes, type])}
        />
        <div className={classes["topic"]}>
          <span>{name}</span>
        </div>
        <Side
          title="Destinations"
          none="No destination: events of this topic go nowhere."
          topic={name}
          mayChange={reason === undefined}
          items={destinationIds.map((id) => ({
            key: id,
            text: getName(id),
            label: <ProjectLink to={`/destinations/${encodePart(getName(id))}`}>{getName(id)}</ProjectLink>,
          }))}
          more={destinations
            .filter(({ id }) => !destinationIds.includes(id))
            .map((one) => ({ value: one.id, label: one.name }))}
          onCut={(id) => routeTo(destinationIds.filter((one) => one !== id))}
          onAdd={(id) => routeTo([...destinationIds, id])}
        />
      </div>
      <ProblemView error={change.error} />
      {deleting && <DeleteTopic topicId={topicId} name={name} onClose={() => setDeleting(false)} />}
    </Section>
  );
}

interface SideProps {
  title: string;
  none: string;
  topic: string;
  mayChange: boolean;
  items: readonly { key: string; text: string; label: ReactNode }[];
  /** What can be added. */
  more: readonly { value: string; label: string }[];
  onCut: (key: string) => void;
  onAdd: (key: string) => void;
}

const Side = ({ title, none, topic, mayChange, items, more, onCut, onAdd }: SideProps): JSX.Element => (
  <div className={classes["side"]}>
    <h3>{title}</h3>
    {items.length === 0 && <p className={classes["none"]}>{none}</p>}
    <ul>
      {items.map(({ key, text, label }) => (
        <li key={key}>
          <span className="foreign">{label}</span>
          <CloseButton
            size={24}
            iconSize={14}
            disabled={!mayChange}
            aria-label={`Cut ${text} from ${topic}`}
            title={`Cut ${text}`}
            onClick={() => onCut(key)}
          />
        </li>
      ))}
    </ul>
    {mayChange && more.length > 0 && (
      <NativeSelect
        aria-label={`Add to ${topic}: ${title}`}
        size="xs"
        value=""
        onChange={(event) => onAdd(event.currentTarget.value)}
        data={[{ value: "", label: "Add …" }, ...more]}
      />
    )}
  </div>
);

interface DeleteTopicProps {
  topicId: string;
  name: string;
  onClose: () => void;
}

function DeleteTopic({ topicId, name, onClose }: DeleteTopicProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const { mutate, isPending, error } = useChange("deleteTopic", { forget: ["listTopics"] });
  return (
    <ConfirmDelete
      opened
      what={`topic ${name}`}
      busy={isPending}
      problem={<ProblemView error={error} />}
      onDelete={() => mutate({ projectIdOrName, topicId }, { onSuccess: onClose })}
      onClose={onClose}
    >
      Its routes are deleted too. Deliveries that have begun continue.
    </ConfirmDelete>
  );
}
