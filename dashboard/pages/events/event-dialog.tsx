/** One event in a dialog: its data, the topics that took it, and its deliveries. */
import type { JSX } from "react";
import { Modal, Stack } from "@mantine/core";
import { useCall } from "../../api/queries.ts";
import { encodePart, ProjectLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { JsonView } from "../../ui/code/code-block.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

interface EventDialogProps {
  eventId: string;
  onClose: () => void;
}

export function EventDialog({ eventId, onClose }: EventDialogProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const { data, error, refetch } = useCall("getEvent", { projectIdOrName, eventId });
  return (
    <Modal opened onClose={onClose} title={data?.type ?? "Event"} size="xl">
      <Stack>
        <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
        {data && (
          <>
            <Facts
              facts={{
                Time: <TimeAgo time={data.time} focusable />,
                Message: <IdText id={data.messageId} label="Copy message id" />,
                Customer: data.groupRef && (
                  <ProjectLink to={`/customers/${encodePart(data.groupRef)}`}>{data.groupRef}</ProjectLink>
                ),
                Operation: data.operationId && (
                  <ProjectLink to={`/operations/${encodePart(data.operationId)}`}>
                    {data.operationId}
                  </ProjectLink>
                ),
                Topics: data.topics.map(({ name }) => name).join(", ") || "none",
                Deliveries:
                  data.deliveries.length === 0
                    ? "none"
                    : data.deliveries.map(({ id, destinationName, status }) => (
                        <div key={id}>
                          <ProjectLink
                            to={`/destinations/${encodePart(destinationName)}/deliveries/${encodePart(id)}`}
                          >
                            {destinationName}
                          </ProjectLink>{" "}
                          {status}
                        </div>
                      )),
              }}
            />
            <JsonView name="Data" value={data.data} />
          </>
        )}
      </Stack>
    </Modal>
  );
}
