/** One refused request in a dialog: all of what the list cuts off. */
import type { JSX } from "react";
import { Modal } from "@mantine/core";
import { useCall } from "../../api/queries.ts";
import { ActorName } from "../../frame/data/actor-name.tsx";
import { OutLink } from "../../frame/page-link.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { Facts } from "../../ui/facts.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

interface RequestDialogProps {
  requestId: string;
  onClose: () => void;
}

export function RequestDialog({ requestId, onClose }: RequestDialogProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const input = { projectIdOrName, text: requestId, pageSize: 1 };
  const { data, error, refetch } = useCall("listRequests", input, { staysFresh: true });
  const found = data?.results[0];
  return (
    <Modal opened onClose={onClose} title={found?.title ?? "Request"} size="lg">
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && !found && "It is not listed any more."}
      {found && (
        <Facts
          facts={{
            Detail: found.detail,
            Status: found.status,
            Request: `${found.method} ${found.path}`,
            Operation: found.operationId,
            By: found.apiKeyId ? (
              <ActorName actor={`apiKey:${found.apiKeyId}`} />
            ) : (
              found.builderId && <ActorName actor={`builder:${found.builderId}`} />
            ),
            Time: <TimeAgo time={found.time} focusable />,
            Id: <IdText id={found.requestId} label="Copy request id" />,
            Meaning: <OutLink href={found.type}>What this means</OutLink>,
          }}
        />
      )}
    </Modal>
  );
}
