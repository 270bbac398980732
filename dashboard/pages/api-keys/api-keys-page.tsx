/** The API keys of a project: create, replace, limit, switch off, delete. */
import { useId, useState, type JSX } from "react";
import { Anchor, Button, Group, Text } from "@mantine/core";
import type { Schemas } from "../../api.gen.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { ActorName } from "../../frame/data/actor-name.tsx";
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
import { Status } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { limitWords, splitAddresses, LimitFields, readLimits, parseRateLimit } from "./limit-fields.tsx";
import classes from "./api-keys-page.module.css";
import { NewApiKey } from "./new-api-key.tsx";
import { useDraft } from "../../frame/drafts.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";

type ApiKey = Schemas["ApiKey"];

const COLUMNS: Column<ApiKey>[] = [
  {
    head: "Label",
    cell: ({ label, key }) => (
      <>
        <div className={`foreign ${classes["label"]}`}>{label}</div>
        <code className={`soft ${classes["key"]}`}>{key}</code>
      </>
    ),
    grows: true,
    line: 1,
  },
  { head: "Scopes", cell: ({ scopes }) => scopes.join(", "), line: 2 },
  { head: "Status", cell: ({ active }) => <Status status={active ? "active" : "inactive"} />, line: 1 },
  { head: "Last used", labelled: true, cell: ({ lastUsedTime }) => <TimeAgo time={lastUsedTime} />, line: 2 },
  { head: "Expires", cell: ({ expireTime }) => <TimeAgo time={expireTime} /> },
  {
    head: "Created",
    cell: ({ createTime, createdBy }) => (
      <>
        <TimeAgo time={createTime} />
        {createdBy !== undefined && (
          <Text size="xs" c="dimmed" truncate>
            by <ActorName actor={createdBy} />
          </Text>
        )}
      </>
    ),
  },
];

export function ApiKeysPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const reason = useReason("editor");
  const [making, setMaking] = useState<{ instead?: ApiKey }>();
  const [deleting, setDeleting] = useState<ApiKey>();
  const [limiting, setLimiting] = useState<ApiKey>();
  const keys = useCall("listApiKeys", { projectIdOrName }).data ?? [];
  const update = useChange("updateApiKey", { forget: ["listApiKeys"] });
  const question = useProductionQuestion("Switch off this API key", "Switch off");
  const switchTo = (key: ApiKey, active: boolean) => {
    const change = () =>
      update.mutate({
        projectIdOrName,
        apiKey: key.id,
        body: { updateMask: ["active"], apiKey: { active } },
      });
    if (active) change();
    else question.ask(change);
  };
  const actions = buildActions({
    reason,
    keys,
    onReplace: (instead) => setMaking({ instead }),
    onSwitch: switchTo,
    onDelete: setDeleting,
  });
  return (
    <Page
      title="API keys"
      about="Your servers call Busbar with a key of the scope full, or of the scopes that they need; browsers with frontend."
      actions={
        <ActionButton reason={reason} onClick={() => setMaking({})}>
          New API key
        </ActionButton>
      }
    >
      {question.dialog}
      <ProblemView error={update.error} />
      <AnswerTable
        name="API keys"
        operationId="listApiKeys"
        input={{ projectIdOrName }}
        columns={[...COLUMNS, buildLimitsColumn(reason === undefined, setLimiting), actions]}
        getId={({ id }) => id}
        empty={
          <EmptyState
            title="No API keys"
            action="Create an API key"
            reason={reason}
            onAction={() => setMaking({})}
          >
            A key lets a server or a browser call the API of this project.
          </EmptyState>
        }
      />
      {making && <NewApiKey instead={making.instead} onClose={() => setMaking(undefined)} />}
      {limiting && <ChangeLimits apiKey={limiting} onClose={() => setLimiting(undefined)} />}
      {deleting && <DeleteApiKey apiKey={deleting} onClose={() => setDeleting(undefined)} />}
    </Page>
  );
}

const isFull = ({ active, scopes, expireTime }: ApiKey) => active && scopes.includes("full") && !expireTime;

const isLastFull = (key: ApiKey, all: readonly ApiKey[]): boolean =>
  isFull(key) && all.filter(isFull).length === 1;

/** The words lead to the dialog that changes the limits. */
const buildLimitsColumn = (mayChange: boolean, onChange: (key: ApiKey) => void): Column<ApiKey> => ({
  head: "Limits",
  labelled: true,
  line: 2,
  cell: (key) =>
    mayChange ? (
      <Anchor
        component="button"
        type="button"
        size="sm"
        className={classes["limits"]}
        aria-label={`Limits of ${key.label}: ${limitWords(key)}`}
        onClick={() => onChange(key)}
      >
        {limitWords(key)}
      </Anchor>
    ) : (
      limitWords(key)
    ),
});

interface Changes {
  /** Why the person may change nothing. */
  reason: string | undefined;
  keys: readonly ApiKey[];
  onReplace: (key: ApiKey) => void;
  onSwitch: (key: ApiKey, active: boolean) => void;
  onDelete: (key: ApiKey) => void;
}

const buildActions = (changes: Changes): Column<ApiKey> => ({
  head: "Actions",
  line: 2,
  cell: (key) => <Actions apiKey={key} {...changes} />,
});

function Actions({
  apiKey,
  reason,
  keys,
  onReplace,
  onSwitch,
  onDelete,
}: Changes & { apiKey: ApiKey }): JSX.Element {
  const isLast = isLastFull(apiKey, keys);
  const mayNot = reason !== undefined;
  const small = { size: "compact-sm", variant: "default" } as const;
  const reasonId = useId();
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Button {...small} disabled={mayNot} onClick={() => onReplace(apiKey)}>
          Replace
        </Button>
        <Button
          {...small}
          disabled={mayNot || isLast}
          aria-describedby={isLast ? reasonId : undefined}
          onClick={() => onSwitch(apiKey, !apiKey.active)}
        >
          {apiKey.active ? "Switch off" : "Switch on"}
        </Button>
        <Button
          {...small}
          disabled={mayNot || isLast}
          aria-describedby={isLast ? reasonId : undefined}
          onClick={() => onDelete(apiKey)}
        >
          Delete
        </Button>
      </Group>
      {isLast && (
        <Text id={reasonId} size="xs" c="dimmed" pb={4}>
          The last full key without an end stays.
        </Text>
      )}
    </>
  );
}

function DeleteApiKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }): JSX.Element {
  const projectIdOrName = useProjectName();
  const { mutate, isPending, error } = useChange("deleteApiKey", { forget: ["listApiKeys"] });
  return (
    <ConfirmDelete
      opened
      what={`API key ${apiKey.label}`}
      busy={isPending}
      problem={<ProblemView error={error} />}
      onDelete={() => mutate({ projectIdOrName, apiKey: apiKey.id }, { onSuccess: onClose })}
      onClose={onClose}
    >
      Requests with this key are refused from now on. It was last used{" "}
      <TimeAgo time={apiKey.lastUsedTime} focusable />.
    </ConfirmDelete>
  );
}

interface ChangeLimitsProps {
  apiKey: Schemas["ApiKey"];
  onClose: () => void;
}

function ChangeLimits({ apiKey, onClose }: ChangeLimitsProps): JSX.Element {
  const projectIdOrName = useProjectName();
  const [limits, setLimits] = useState(readLimits(apiKey));
  const update = useChange("updateApiKey", { forget: ["listApiKeys"] });
  const changed = { allowedAddresses: splitAddresses(limits), rateLimit: parseRateLimit(limits) ?? null };
  const body = { updateMask: Object.keys(changed), apiKey: changed };
  const input = { projectIdOrName, apiKey: apiKey.id, body };
  useDraft("updateApiKey", input);
  return (
    <FormDialog
      title={`Limits of ${apiKey.label}`}
      submit="Save"
      busy={update.isPending}
      problem={<ProblemView error={update.error} />}
      onSubmit={() => update.mutate(input, { onSuccess: onClose })}
      onClose={onClose}
    >
      <LimitFields limits={limits} onLimits={setLimits} error={update.error} prefix="apiKey." />
    </FormDialog>
  );
}
