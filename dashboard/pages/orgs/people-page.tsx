/** The people of an organisation: roles, invitations, who leaves. */
import { useId, useState, type JSX } from "react";
import { Button, NativeSelect, Stack, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import type { Schemas } from "../../api.gen.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { ROLES, useReason, type Role } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Invitations } from "./invitations.tsx";
import { NewInvite } from "./new-invite.tsx";

type Member = Schemas["Member"];

const getName = ({ fullName, primaryEmail, id }: Member): string => fullName ?? primaryEmail ?? id;

export function PeoplePage(): JSX.Element {
  const { org: orgId = "" } = useParams({ strict: false });
  const reason = useReason("owner");
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState<Member>();
  const [changing, setChanging] = useState<{ member: Member; role: Role }>();
  // The same call as the table's.
  const members = useCall("listOrgBuilders", { orgId }).data ?? [];
  const columns = buildColumns({
    isOwner: reason === undefined,
    isLast: ({ role }) => role === "owner" && members.filter((one) => one.role === "owner").length === 1,
    onChange: (member, role) => setChanging({ member, role }),
    onRemove: setRemoving,
  });
  return (
    <Page
      title="People"
      about="A role counts for all projects of the organisation."
      actions={
        <ActionButton reason={reason} onClick={() => setInviting(true)}>
          Invite
        </ActionButton>
      }
    >
      <Stack>
        <AnswerTable
          name="People"
          operationId="listOrgBuilders"
          input={{ orgId }}
          columns={columns}
          getId={({ id }) => id}
          empty={<EmptyState title="No people">Nobody belongs to this organisation.</EmptyState>}
        />
        <Title order={2}>Invitations</Title>
        <Invitations orgId={orgId} onInvite={() => setInviting(true)} />
      </Stack>
      {inviting && <NewInvite orgId={orgId} onClose={() => setInviting(false)} />}
      {changing && <RoleChange orgId={orgId} {...changing} onClose={() => setChanging(undefined)} />}
      {removing && <Removal orgId={orgId} member={removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  );
}

interface Changes {
  isOwner: boolean;
  /** The last owner: the API keeps them. */
  isLast: (member: Member) => boolean;
  onChange: (member: Member, role: Role) => void;
  onRemove: (member: Member) => void;
}

const buildColumns = ({ isOwner, isLast, onChange, onRemove }: Changes): Column<Member>[] => [
  {
    head: "Name",
    cell: (member) => <span className="foreign">{getName(member)}</span>,
    grows: true,
    line: 1,
  },
  {
    head: "Address",
    cell: ({ primaryEmail = "–" }) => <span className="foreign">{primaryEmail}</span>,
    line: 2,
  },
  {
    head: "Role",
    line: 1,
    cell: (member) =>
      isOwner && !isLast(member) ? (
        <NativeSelect
          aria-label={`Role of ${getName(member)}`}
          size="xs"
          w={112}
          value={member.role}
          data={ROLES.map((role) => ({ value: role, label: role }))}
          onChange={(event) => {
            const role = ROLES.find((one) => one === event.currentTarget.value);
            if (role) onChange(member, role);
          }}
        />
      ) : (
        member.role
      ),
  },
  {
    head: "Actions",
    line: 2,
    cell: (member) => (
      <RemoveButton isOwner={isOwner} isLast={isLast(member)} onClick={() => onRemove(member)} />
    ),
  },
];

interface RemoveButtonProps extends Pick<Changes, "isOwner"> {
  isLast: boolean;
  onClick: () => void;
}

function RemoveButton({ isOwner, isLast, onClick }: RemoveButtonProps): JSX.Element {
  const reasonId = useId();
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        disabled={!isOwner || isLast}
        aria-describedby={isLast ? reasonId : undefined}
        onClick={onClick}
      >
        Remove
      </Button>
      {isLast && (
        <Text id={reasonId} size="xs" c="dimmed" pb={4}>
          The last owner stays.
        </Text>
      )}
    </>
  );
}

interface RoleChangeProps {
  orgId: string;
  member: Member;
  role: Role;
  onClose: () => void;
}

/** Asks first: an arrow key in the field chooses the next role, and a person may give away the own one. */
function RoleChange({ orgId, member, role, onClose }: RoleChangeProps): JSX.Element {
  const { mutate, isPending, error } = useChange("updateMembership", {
    forget: ["listOrgBuilders", "getMyInfo"],
  });
  return (
    <FormDialog
      title="Change role"
      submit="Change"
      busy={isPending}
      problem={<ProblemView error={error} />}
      onSubmit={() => mutate({ orgId, builderId: member.id, body: { role } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm">
        <b className="foreign">{getName(member)}</b> is {member.role} and becomes {role}, in all projects of
        the organisation.
      </Text>
    </FormDialog>
  );
}

interface RemovalProps {
  orgId: string;
  member: Member;
  onClose: () => void;
}

function Removal({ orgId, member, onClose }: RemovalProps): JSX.Element {
  const { mutate, isPending, error } = useChange("deleteMembership", { forget: ["listOrgBuilders"] });
  return (
    <ConfirmDelete
      opened
      what={`membership of ${getName(member)}`}
      busy={isPending}
      problem={<ProblemView error={error} />}
      onDelete={() => mutate({ orgId, builderId: member.id }, { onSuccess: onClose })}
      onClose={onClose}
    >
      This person loses access to all projects of the organisation at once.
    </ConfirmDelete>
  );
}
