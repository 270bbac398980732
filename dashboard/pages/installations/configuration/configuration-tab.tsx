/** The configuration of an installation, as a form or as JSON, saved as a whole; and its deletion. */
import { useState, type JSX } from "react";
import { Alert, Box, Button, Group, SegmentedControl, Text, Textarea } from "@mantine/core";
import { CatchBoundary, useNavigate } from "@tanstack/react-router";
import type { Answer, Input } from "../../../api/call.ts";
import { findIssue, useChange } from "../../../api/queries.ts";
import { ActorName } from "../../../frame/data/actor-name.tsx";
import { toProjectPath } from "../../../frame/page-link.tsx";
import { LeaveQuestion } from "../../../frame/leave-question.tsx";
import { ProblemView } from "../../../frame/problem-view.tsx";
import { useReason } from "../../../frame/account/role.ts";
import { ActionButton } from "../../../ui/action-button.tsx";
import { ConfirmDelete } from "../../../ui/confirm-delete.tsx";
import { Section } from "../../../ui/section.tsx";
import type { Content } from "./config-content.ts";
import { ConfigurationForm } from "./configuration-form.tsx";
import type { InstallationInput } from "./installation-input.ts";

interface Props {
  installation: Answer<"getInstallation">;
  input: InstallationInput;
}

/** The API checks the content; here only that it is JSON. */
function parseContent(text: string): Content | undefined {
  try {
    return JSON.parse(text) as Content;
  } catch {
    return undefined;
  }
}

const toText = (content: Content): string => JSON.stringify(content, undefined, 2);

export const ConfigurationTab = (props: Props): JSX.Element => (
  <>
    <Configuration {...props} />
    <Uninstall {...props} />
  </>
);

function Configuration({ installation, input }: Props): JSX.Element {
  const stored = toText(installation.config.content);
  const [text, setText] = useState(stored);
  /** The stored text when the edited text last equalled it. */
  const [base, setBase] = useState(stored);
  const [view, setView] = useState<string>("Form");
  const save = useChange("updateInstallation", { forget: ["getInstallation"] });
  const reason = useReason("editor");
  const content = parseContent(text);
  const load = (next: string) => {
    setBase(next);
    setText(next);
  };
  const isEdited = text !== base;
  const isStale = stored !== base && !save.isPending;
  // Without edits, the form shows what customers and colleagues change meanwhile.
  if (isStale && (!isEdited || text === stored)) load(stored);
  const submit = () => {
    if (content === undefined) return;
    const body = { updateMask: ["config.content"], installation: { config: { content } } };
    save.mutate({ ...input, body } as Input<"updateInstallation">, {
      // The server completes what was sent, for example by the manifest.
      onSuccess: ({ config }) => load(toText(config.content)),
    });
  };
  const stale = isEdited && isStale;
  const why = stale ? "It was changed meanwhile." : isEdited ? undefined : "Nothing has changed.";
  return (
    <Section
      title="Configuration"
      actions={
        <SegmentedControl
          aria-label="View"
          size="xs"
          data={["Form", "JSON"]}
          value={view}
          onChange={setView}
        />
      }
    >
      <Text size="sm" c="dimmed" mb="xs">
        What the customer chose: objects, fields, mappings. Saved by{" "}
        <ActorName actor={installation.config.createdBy} />. A new configuration applies to what begins
        afterwards.
      </Text>
      {view === "Form" && content !== undefined ? (
        <CatchBoundary getResetKey={() => text} errorComponent={NoForm}>
          <ConfigurationForm
            installation={installation}
            input={input}
            content={content}
            onContent={(next) => setText(toText(next))}
            issueAt={(place) => findIssue(save.error, `config.content.${place}`)}
          />
        </CatchBoundary>
      ) : (
        <ContentText text={text} isJson={content !== undefined} onText={setText} />
      )}
      {stale && <ChangedMeanwhile onLoad={() => load(stored)} onKeep={() => setBase(stored)} />}
      {save.error && (
        <Box mt="md">
          <ProblemView error={save.error} />
        </Box>
      )}
      <Group gap="xs" mt="md" align="flex-start">
        <ActionButton reason={reason ?? why} loading={save.isPending} onClick={submit}>
          Save
        </ActionButton>
      </Group>
      <LeaveQuestion isChanged={isEdited} what="The configuration" />
    </Section>
  );
}

interface ChangedMeanwhileProps {
  onLoad: () => void;
  onKeep: () => void;
}

/** Nobody's choices are overwritten unseen: the customer can change them too. */
const ChangedMeanwhile = ({ onLoad, onKeep }: ChangedMeanwhileProps): JSX.Element => (
  <Alert role="alert" variant="outline" color="red" title="The configuration was changed meanwhile" mt="md">
    <Text size="sm" mb="xs">
      Somebody saved another one while you were changing it here. Saving yours overwrites that one as a whole.
    </Text>
    <Group gap="xs">
      <Button size="compact-sm" variant="default" onClick={onLoad}>
        Load the new one
      </Button>
      <Button size="compact-sm" variant="default" onClick={onKeep}>
        Keep mine
      </Button>
    </Group>
  </Alert>
);

/** What was typed as JSON may have any shape; the API says what is wrong with it. */
const NoForm = (): JSX.Element => (
  <Text size="sm">This configuration does not fit the form. Change it as JSON.</Text>
);

interface ContentTextProps {
  text: string;
  isJson: boolean;
  onText: (text: string) => void;
}

const ContentText = ({ text, isJson, onText }: ContentTextProps): JSX.Element => (
  <Textarea
    label="Configuration (JSON)"
    value={text}
    autosize
    minRows={8}
    maxRows={30}
    spellCheck={false}
    styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
    error={isJson ? undefined : "This is not JSON."}
    onChange={(event) => onText(event.currentTarget.value)}
  />
);

function Uninstall({ installation, input }: Props): JSX.Element {
  const [asked, setAsked] = useState(false);
  const reason = useReason("editor");
  const navigate = useNavigate();
  const remove = useChange("deleteInstallation", {
    forget: ["listProjectInstallations", "listProjectConnections", "listGroups"],
  });
  const { groupRef } = installation.group;
  const customer = toProjectPath(input.projectIdOrName, `/customers/${encodeURIComponent(groupRef)}`);
  return (
    <Section title="Uninstall">
      <ActionButton variant="default" reason={reason} onClick={() => setAsked(true)}>
        Uninstall
      </ActionButton>
      <ConfirmDelete
        opened={asked}
        what={`installation of ${input.integrationId} for ${groupRef}`}
        busy={remove.isPending}
        problem={<ProblemView error={remove.error} />}
        onDelete={() =>
          remove.mutate(input, { onSuccess: () => void navigate({ to: customer, ignoreBlocker: true }) })
        }
        onClose={() => setAsked(false)}
      >
        Its configuration and its connection are deleted, unless another installation uses the connection.
        Reads end, and waiting writes fail. Operations stay listed.
      </ConfirmDelete>
    </Section>
  );
}
