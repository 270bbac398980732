/** The invitations of an organisation. */
import type { JSX } from "react";
import { Button, Group } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useChange } from "../../api/queries.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useReason } from "../../frame/account/role.ts";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";

type Invite = Schemas["Invite"];

export function Invitations({ orgId, onInvite }: { orgId: string; onInvite: () => void }): JSX.Element {
  const reason = useReason("owner");
  const revoke = useChange("deleteOrgInvite", { forget: ["listOrgInvites"] });
  return (
    <>
      <ProblemView error={revoke.error} />
      <AnswerTable
        name="Invitations"
        operationId="listOrgInvites"
        input={{ orgId }}
        columns={buildColumns(reason === undefined, (inviteId) => revoke.mutate({ orgId, inviteId }))}
        getId={({ id }) => id}
        empty={
          <EmptyState title="No invitations" action="Invite a colleague" reason={reason} onAction={onInvite}>
            Busbar sends no mail: an invited person signs in and accepts on the page Account.
          </EmptyState>
        }
      />
    </>
  );
}

const buildColumns = (mayRevoke: boolean, onRevoke: (id: string) => void): Column<Invite>[] => [
  {
    head: "Address",
    cell: ({ invitedEmail }) => <span className="foreign">{invitedEmail}</span>,
    grows: true,
    line: 1,
  },
  { head: "Role", cell: ({ role }) => role, line: 2 },
  { head: "Status", cell: ({ status }) => <Status status={status} />, line: 1 },
  { head: "Invited", cell: ({ createTime }) => <TimeAgo time={createTime} />, line: 2 },
  {
    head: "Actions",
    line: 2,
    cell: ({ id, status }) => (
      <Group gap={4}>
        <Button
          size="compact-sm"
          variant="default"
          disabled={!mayRevoke || status !== "pending"}
          onClick={() => onRevoke(id)}
        >
          Revoke
        </Button>
      </Group>
    ),
  },
];
