/** The rules of the policy, in the order in which they are tried. */
import type { JSX } from "react";
import {
  ActionIcon,
  Button,
  CloseButton,
  Fieldset,
  NativeSelect,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { Icon } from "../../ui/icons.tsx";
import type { Decision, Rule } from "./policy-values.ts";
import classes from "./policy-rules.module.css";

/** The compiler demands every tool of the API here. */
const TOOLS: Record<Exclude<NonNullable<Rule["tool"]>, "*">, string> = {
  search_records: "Search records",
  get_record: "Get a record",
  create_record: "Create a record",
  update_record: "Update a record",
  upsert_record: "Create or update a record",
  delete_record: "Delete a record",
  call_api: "Call the provider's API",
  undo_operation: "Undo an operation",
  connect_account: "Connect an account",
  list_integrations: "List integrations",
  find_objects: "Find objects",
  describe_object: "Describe an object",
  get_operation: "Get an operation",
  get_approval: "Get an approval",
};

export const DECISIONS: { value: Decision; label: string }[] = [
  { value: "allow", label: "Allow" },
  { value: "ask", label: "Ask a person" },
  { value: "forbid", label: "Forbid" },
];

interface PolicyRulesProps {
  rules: readonly Rule[];
  /** Returns the refusal of a member, such as `rules[0].object`. */
  issueAt: (place: string) => string | undefined;
  onRules: (rules: readonly Rule[]) => void;
}

export function PolicyRules({ rules, issueAt, onRules }: PolicyRulesProps): JSX.Element {
  return (
    <Fieldset legend="Rules">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {rules.length === 0
            ? "No rule: what is below decides about every call."
            : "The first rule that fits a call decides about it."}
        </Text>
        {rules.map((rule, index) => (
          <RuleRow
            // oxlint-disable-next-line react/no-array-index-key -- a rule has no id, and all of it changes
            key={index}
            name={`Rule ${index + 1}`}
            rule={rule}
            issueAt={(member) => issueAt(`rules[${index}].${member}`)}
            onRule={(changed) => onRules(rules.with(index, changed))}
            onMoveUp={index === 0 ? undefined : () => onRules(moveUp(rules, index))}
            onRemove={() => onRules(rules.toSpliced(index, 1))}
          />
        ))}
        <Button
          variant="default"
          size="compact-sm"
          className={classes["add"]}
          onClick={() => onRules([...rules, { tool: "update_record", decision: "ask" }])}
        >
          Add a rule
        </Button>
      </Stack>
    </Fieldset>
  );
}

const moveUp = (rules: readonly Rule[], index: number): readonly Rule[] => [
  ...rules.slice(0, index - 1),
  ...rules.slice(index, index + 1),
  ...rules.slice(index - 1, index),
  ...rules.slice(index + 1),
];

interface RuleRowProps {
  name: string;
  rule: Rule;
  issueAt: (member: string) => string | undefined;
  onRule: (rule: Rule) => void;
  onMoveUp: (() => void) | undefined;
  onRemove: () => void;
}

/** An empty text means every integration, or every object. */
function RuleRow({ name, rule, issueAt, onRule, onMoveUp, onRemove }: RuleRowProps): JSX.Element {
  const { tool = "*", integration = "", object = "", decision } = rule;
  return (
    <div role="group" aria-label={name} className={classes["row"]}>
      <NativeSelect
        label="Tool"
        data={[
          { value: "*", label: "Every tool" },
          ...Object.entries(TOOLS).map(([value, label]) => ({ value, label })),
        ]}
        value={tool}
        error={issueAt("tool")}
        onChange={({ currentTarget: { value } }) =>
          onRule({ ...rule, tool: value as NonNullable<Rule["tool"]> })
        }
      />
      <TextInput
        label="Integration"
        placeholder="every"
        value={integration === "*" ? "" : integration}
        error={issueAt("integration")}
        onChange={({ currentTarget: { value } }) => onRule({ ...rule, integration: value })}
      />
      <TextInput
        label="Object"
        placeholder="every"
        value={object === "*" ? "" : object}
        error={issueAt("object")}
        onChange={({ currentTarget: { value } }) => onRule({ ...rule, object: value })}
      />
      <NativeSelect
        label="Decision"
        data={DECISIONS}
        value={decision}
        error={issueAt("decision")}
        onChange={({ currentTarget: { value } }) => onRule({ ...rule, decision: value as Decision })}
      />
      <ActionIcon
        variant="default"
        size={36}
        aria-label={`Move ${name.toLowerCase()} up`}
        disabled={onMoveUp === undefined}
        onClick={onMoveUp}
      >
        <Icon name="up" />
      </ActionIcon>
      <CloseButton size={36} aria-label={`Remove ${name.toLowerCase()}`} onClick={onRemove} />
    </div>
  );
}
