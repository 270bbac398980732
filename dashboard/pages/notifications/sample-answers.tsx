/** What the destinations of a new topic answer to a sample of its first type. */
import { useEffect, type JSX } from "react";
import { Button, Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import type { Input } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { Section } from "../../ui/section.tsx";
import { Status } from "../../ui/status.tsx";

interface SampleAnswersProps {
  topic: Schemas["Topic"];
  getName: (destinationId: string) => string;
  onClose: () => void;
}

export function SampleAnswers({ topic, getName, onClose }: SampleAnswersProps): JSX.Element | null {
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
