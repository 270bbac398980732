/** What agents may do in the project: the policy as a form or as JSON, and the switch that stops all agents at once. */
import { useState, type JSX } from "react";
import { Alert, Fieldset, SegmentedControl, Stack, Text, Textarea } from "@mantine/core";
import type { Input } from "../../api/call.ts";
import { findEntryIssue, findIssue, useCall, useChange } from "../../api/queries.ts";
import { AddressText } from "../../frame/address-text.tsx";
import { AnswerTable, type EntryOf } from "../../frame/data/answer-table.tsx";
import { useDraft } from "../../frame/drafts.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { LeaveQuestion } from "../../frame/leave-question.tsx";
import { Page } from "../../frame/page.tsx";
import { ProblemView } from "../../frame/problem-view.tsx";
import { useProjectName } from "../../frame/project.ts";
import { useReason } from "../../frame/account/role.ts";
import { ActionBar } from "../../ui/action-bar.tsx";
import { ActionButton } from "../../ui/action-button.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Section } from "../../ui/section.tsx";
import { PolicyFields } from "./policy-fields.tsx";
import { toPolicy, toValues, type Policy, type PolicyValues } from "./policy-values.ts";
import { SaveButton } from "../../ui/save-button.tsx";

type Body = Input<"putAgentPolicy">["body"];

export function AgentPolicyPage(): JSX.Element {
  const projectIdOrName = useProjectName();
  const { data, error, refetch } = useCall("getAgentPolicy", { projectIdOrName });
  return (
    <Page title="Agents" about="What models may do in customers' accounts, through the endpoint for agents.">
      <ProblemView error={data ? null : error} onRetry={() => void refetch()} />
      {data && <Pause policy={data} projectIdOrName={projectIdOrName} />}
      {data && <PolicyForm policy={data} projectIdOrName={projectIdOrName} />}
      <Preview projectIdOrName={projectIdOrName} />
    </Page>
  );
}

interface PolicyProps {
  policy: Policy;
  projectIdOrName: string;
}

/** Apart from the text, so that saving it does not end a pause. */
function Pause({ policy, projectIdOrName }: PolicyProps): JSX.Element {
  const { paused = false } = policy;
  const change = useChange("putAgentPolicy", { forget: ["getAgentPolicy"] });
  const reason = useReason("editor");
  return (
    <Alert
      variant="outline"
      color={paused ? "red" : "gray"}
      title={paused ? "All agents are paused: every call is refused." : "Agents work within the policy."}
      icon={<Icon name={paused ? "pause" : "check"} />}
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">A pause stops the next call of every agent, and approved acts wait for its end.</Text>
        <ActionButton
          variant="default"
          reason={reason}
          loading={change.isPending}
          onClick={() => change.mutate({ projectIdOrName, body: { ...policy, paused: !paused } })}
        >
          {paused ? "End the pause" : "Pause all agents"}
        </ActionButton>
        <ProblemView error={change.error} />
      </Stack>
    </Alert>
  );
}

/** What is edited: the fields, or the text of the JSON. */
type Edited = { values: PolicyValues } | { text: string };

function PolicyForm({ policy, projectIdOrName }: PolicyProps): JSX.Element {
  const { paused, ...rest } = policy;
  const [edited, setEdited] = useState<Edited>();
  const [isText, setIsText] = useState(false);
  const save = useChange("putAgentPolicy", { forget: ["getAgentPolicy"] });
  const mayNot = useReason("editor");
  const { body, fault } = readEdited(edited, rest);
  const input = { projectIdOrName, body: { ...body, ...(paused !== undefined && { paused }) } };
  useDraft("putAgentPolicy", input);
  // A form has the members in its own order.
  const unchanged =
    fault === undefined && [rest, toPolicy(toValues(rest))].some((same) => print(same) === print(body));
  const edit = (next: Edited) => {
    save.reset();
    setEdited(next);
  };
  const show = (text: boolean) => {
    if (edited) setEdited(text ? { text: print(body) } : { values: toValues(body) });
    setIsText(text);
  };
  return (
    <Section title="Policy" actions={<FormOrText isText={isText} fault={fault} onText={show} />}>
      <LeaveQuestion isChanged={!unchanged} what="The policy" />
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          A saved policy applies to the next call of an agent.
        </Text>
        {isText ? (
          <Textarea
            label="Policy as JSON"
            autosize
            minRows={12}
            maxRows={40}
            spellCheck={false}
            value={edited && "text" in edited ? edited.text : print(rest)}
            onChange={({ currentTarget }) => edit({ text: currentTarget.value })}
            error={fault}
          />
        ) : (
          <Fieldset variant="unstyled" disabled={mayNot !== undefined}>
            <Stack gap="sm">
              <PolicyFields
                values={edited && "values" in edited ? edited.values : toValues(rest)}
                issueAt={(place) => findIssue(save.error, place) ?? findEntryIssue(save.error, place)}
                onValues={(values) => edit({ values })}
              />
            </Stack>
          </Fieldset>
        )}
        <ProblemView error={save.error} />
        <ActionBar>
          <SaveButton
            save={save}
            unchanged={unchanged}
            reason={mayNot ?? fault}
            onSave={() => save.mutate(input, { onSuccess: () => setEdited(undefined) })}
          >
            Save policy
          </SaveButton>
        </ActionBar>
      </Stack>
    </Section>
  );
}

interface FormOrTextProps {
  isText: boolean;
  /** A text that is no policy cannot be shown as a form. */
  fault: string | undefined;
  onText: (isText: boolean) => void;
}

const FormOrText = ({ isText, fault, onText }: FormOrTextProps): JSX.Element => (
  <SegmentedControl
    aria-label="Edit the policy as"
    data={[
      { value: "form", label: "Form", disabled: fault !== undefined },
      { value: "json", label: "JSON" },
    ]}
    value={isText ? "json" : "form"}
    onChange={(value) => onText(value === "json")}
  />
);

const print = (policy: Policy): string => JSON.stringify(policy, undefined, 2);

/** Returns the policy as it would be sent. An unedited one is the stored one, member by member. */
function readEdited(edited: Edited | undefined, stored: Policy): { body: Body; fault?: string } {
  if (!edited) return { body: stored };
  if ("text" in edited) return parseBody(edited.text);
  return { body: toPolicy(edited.values) };
}

type Decided = EntryOf<"listAgentDecisions">;

const DECISIONS: Column<Decided>[] = [
  { head: "Tool", cell: ({ tool }) => tool, line: 1 },
  { head: "Kind", cell: ({ kind }) => kind },
  { head: "Integration", cell: ({ integration }) => <span className="foreign">{integration}</span> },
  { head: "Object", cell: ({ object }) => <span className="foreign">{object ?? "–"}</span>, line: 2 },
  { head: "Decision", cell: ({ decision }) => decision, line: 1 },
  {
    head: "Hidden fields",
    cell: ({ hiddenFields = [] }) => <span className="foreign">{hiddenFields.join(", ") || "–"}</span>,
    grows: true,
  },
];

/** Previews the stored policy, without unsaved edits. */
function Preview({ projectIdOrName }: { projectIdOrName: string }): JSX.Element {
  const [{ groupRef = "" }, setFilters] = useFilters("groupRef");
  return (
    <>
      <Section title="What agents may do for a customer">
        <AddressText
          label="Customer"
          description="Your own id for the customer. Shown is the policy as it is saved."
          first={groupRef}
          onText={(next) => void setFilters({ groupRef: next || undefined })}
        />
      </Section>
      {groupRef !== "" && (
        <AnswerTable
          name="What agents may do for a customer"
          operationId="listAgentDecisions"
          input={{ projectIdOrName, groupRef }}
          columns={DECISIONS}
          getId={({ tool, kind, integration, object = "" }) => [tool, kind, integration, object].join(" ")}
          empty={<EmptyState title="Nothing">The customer has installed nothing.</EmptyState>}
        />
      )}
    </>
  );
}

/** The API checks the members and names the place of each mistake. */
function parseBody(text: string): { body: Body; fault?: string } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) return { body };
    return { body: {}, fault: "The policy is an object: { … }" };
  } catch (error) {
    return { body: {}, fault: `Not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
