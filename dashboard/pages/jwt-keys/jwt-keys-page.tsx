/** The public keys that check customers' tokens. */
import { useState, type JSX } from "react";
import { Button, Group } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { AnswerTable } from "../../frame/data/answer-table.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProductionQuestion } from "../../frame/production.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { ConfirmDelete } from "../../ui/confirm-delete.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { IdText } from "../../ui/id-text.tsx";
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { NewJwtKey } from "./new-jwt-key.tsx";
import { TokenChecker } from "./token-checker.tsx";

type JwtKey = Schemas["JwtKey"];

const COLUMNS: Column<JwtKey>[] = [
  { head: "Label", cell: ({ label }) => <span className="foreign">{label}</span>, grows: true, line: 1 },
  { head: "kid", cell: ({ id }) => <IdText id={id} label="Copy kid" />, line: 2 },
  { head: "Status", cell: ({ active }) => <Status status={active ? "active" : "inactive"} />, line: 1 },
  { head: "Created", cell: ({ createTime }) => <TimeAgo time={createTime} /> },
];

export function JwtKeysPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const reason = useReason("editor");
  const [making, setMaking] = useState(false);
  const [deleting, setDeleting] = useState<JwtKey>();
  const keys = useCall("listJWTKeys", { projectIdOrName }).data;
  const update = useChange("updateJWTKey", { forget: ["listJWTKeys"] });
  const question = useProductionQuestion("Switch off this JWT key", "Switch off");
  const switchTo = ({ id: keyId }: JwtKey, active: boolean) => {
    const body = { updateMask: ["active" as const], jwtKey: { active } };
    const change = () => update.mutate({ projectIdOrName, keyId, body });
    if (active) change();
    else question.ask(change);
  };
  return (
    <Page
      title="JWT keys"
      about="Your server signs a token per customer (RS256, groupRef, consumerRef, at most 600 s); Busbar checks it with a public key."
      actions={
        <ActionButton reason={reason} onClick={() => setMaking(true)}>
          New JWT key
        </ActionButton>
      }
    >
      {question.dialog}
      <ProblemView error={update.error} />
      <AnswerTable
        name="JWT keys"
        operationId="listJWTKeys"
        input={{ projectIdOrName }}
        columns={[...COLUMNS, buildActions(reason === undefined, switchTo, setDeleting)]}
        getId={({ id }) => id}
        empty={
          <EmptyState
            title="No JWT keys"
            action="Register a public key"
            reason={reason}
            onAction={() => setMaking(true)}
          >
            A page in a customer's browser calls Busbar with a token for that customer. Register the public
            key of your server first.
          </EmptyState>
        }
      />
      {keys && keys.length > 0 && <TokenChecker keys={keys} />}
      {making && <NewJwtKey onClose={() => setMaking(false)} />}
      {deleting && <DeleteJwtKey jwtKey={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

const buildActions = (
  mayChange: boolean,
  onSwitch: (key: JwtKey, active: boolean) => void,
  onDelete: (key: JwtKey) => void,
): Column<JwtKey> => ({
  head: "Actions",
  line: 2,
  cell: (key) => (
    <Group gap={4} wrap="nowrap">
      <Button
        size="compact-sm"
        variant="default"
        disabled={!mayChange}
        onClick={() => onSwitch(key, !key.active)}
      >
        {key.active ? "Switch off" : "Switch on"}
      </Button>
      <Button size="compact-sm" variant="default" disabled={!mayChange} onClick={() => onDelete(key)}>
        Delete
      </Button>
    </Group>
  ),
});

function DeleteJwtKey({ jwtKey, onClose }: { jwtKey: JwtKey; onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const { mutate, isPending, error } = useChange("deleteJWTKey", { forget: ["listJWTKeys"] });
  return (
    <ConfirmDelete
      opened
      what={`JWT key ${jwtKey.label}`}
      busy={isPending}
      problem={<ProblemView error={error} />}
      onDelete={() => mutate({ projectIdOrName, keyId: jwtKey.id }, { onSuccess: onClose })}
      onClose={onClose}
    >
      Tokens that are signed with this key are refused from now on.
    </ConfirmDelete>
  );
}
