/** The public keys that check customers' tokens. */
import { type JSX, useEffect, useState } from "react";
import { Button, Group, Stack, Text, Textarea, TextInput } from "@mantine/core";
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
import { useCallForm } from "../../api/call-form.ts";
import { useDraft } from "../../frame/drafts.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { nowMs } from "../../ui/clock.ts";
import { JsonView } from "../../ui/code/code-block.tsx";
import { Section } from "../../ui/section.tsx";
import { type CheckedToken, checkToken, type KnownKey } from "./check-token.ts";

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

function NewJwtKey({ onClose }: { onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const create = useChange("createJWTKey", { forget: ["listJWTKeys"] });
  const fields = useCallForm({ label: "", publicKeyPem: "" }, create.error);
  const input = { projectIdOrName, body: { ...fields.values, algorithm: "RS256" as const } };
  useDraft("createJWTKey", input);
  const submit = () => {
    create.mutate(input, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="New JWT key"
      size="lg"
      submit="Create"
      busy={create.isPending}
      problem={<ProblemView error={create.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Label" {...fields.getInputProps("label")} required data-autofocus />
      <Textarea
        label="Public key (PEM)"
        placeholder="-----BEGIN PUBLIC KEY-----"
        {...fields.getInputProps("publicKeyPem")}
        required
        rows={8}
        classNames={{ input: "mono" }}
      />
    </FormDialog>
  );
}

function TokenChecker({ keys }: { keys: readonly KnownKey[] }): JSX.Element {
  const [token, setToken] = useState("");
  const [checked, setChecked] = useState<CheckedToken>();
  useEffect(() => {
    let isCurrent = true;
    void checkToken(token, keys, nowMs()).then((verdict) => isCurrent && setChecked(verdict));
    return () => {
      isCurrent = false;
    };
  }, [token, keys]);
  return (
    <Section title="Check a token">
      <Stack gap="sm">
        <Textarea
          label="Token"
          description="It is checked in this browser and sent nowhere."
          value={token}
          onChange={(event) => setToken(event.currentTarget.value)}
          rows={3}
          classNames={{ input: "mono" }}
          autoComplete="off"
          spellCheck={false}
        />
        {token.trim() !== "" && checked && <Verdict checked={checked} />}
      </Stack>
    </Section>
  );
}

const Verdict = ({ checked: { faults, claims } }: { checked: CheckedToken }): JSX.Element => (
  <div role="status">
    {faults.length === 0 ? (
      <Text size="sm">The API accepts this token.</Text>
    ) : (
      <ul>
        {faults.map((fault) => (
          <li key={fault} className="foreign">
            {fault}
          </li>
        ))}
      </ul>
    )}
    {claims && <JsonView name="Claims" value={claims} />}
  </div>
);
