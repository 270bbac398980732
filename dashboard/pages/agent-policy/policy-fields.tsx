/** The policy as a form: rules, what decides where none fits, hidden fields, and limits. */
import type { JSX } from "react";
import {
  Button,
  Checkbox,
  CloseButton,
  Fieldset,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { DECISIONS, PolicyRules } from "./policy-rules.tsx";
import type { Budget, Decision, Kind, PolicyValues } from "./policy-values.ts";
import classes from "./policy-rules.module.css";

/** What the server uses where a policy says nothing. */
const KINDS: Record<Kind, { label: string; usual: Decision }> = {
  read: { label: "Read records", usual: "allow" },
  write: { label: "Create and update", usual: "ask" },
  delete: { label: "Delete", usual: "forbid" },
  callApiRead: { label: "Call the API: GET, HEAD", usual: "allow" },
  callApiWrite: { label: "Call the API: others", usual: "forbid" },
};

const BUDGETS: Record<Budget, string> = {
  writesPerHour: "Writes per hour, in the project",
  writesPerHourPerGroup: "Writes per hour, for one customer",
};

interface PolicyFieldsProps {
  values: PolicyValues;
  /** Returns the refusal of a member, such as `budgets.writesPerHour`. */
  issueAt: (place: string) => string | undefined;
  onValues: (values: PolicyValues) => void;
}

export function PolicyFields({ values, issueAt, onValues }: PolicyFieldsProps): JSX.Element {
  const set = (changed: Partial<PolicyValues>) => onValues({ ...values, ...changed });
  return (
    <>
      <PolicyRules rules={values.rules} issueAt={issueAt} onRules={(rules) => set({ rules })} />
      <Fieldset legend="Where no rule fits">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} spacing="xs" verticalSpacing="xs">
          {Object.entries(KINDS).map(([kind, { label, usual }]) => (
            <NativeSelect
              key={kind}
              label={label}
              data={DECISIONS}
              value={values.default[kind as Kind] ?? usual}
              error={issueAt(`default.${kind}`)}
              onChange={({ currentTarget: { value } }) =>
                set({ default: { ...values.default, [kind]: value as Decision } })
              }
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      <HiddenFields hidden={values.hidden} issueAt={issueAt} onHidden={(hidden) => set({ hidden })} />
      <Fieldset legend="Limits and approvals">
        <Stack gap="xs">
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs" verticalSpacing="xs">
            {Object.entries(BUDGETS).map(([budget, label]) => (
              <NumberInput
                key={budget}
                label={label}
                placeholder="no limit"
                value={values.budgets[budget as Budget] ?? ""}
                error={issueAt(`budgets.${budget}`)}
                onChange={(value) => set({ budgets: withNumber(values.budgets, budget as Budget, value) })}
              />
            ))}
            <NumberInput
              label="An approval expires after minutes"
              placeholder="1440"
              value={values.approvalMinutes ?? ""}
              error={issueAt("approvalMinutes")}
              onChange={(value) => set({ approvalMinutes: typeof value === "number" ? value : undefined })}
            />
          </SimpleGrid>
          <Checkbox
            label="A customer's token may decide the approvals of its own group"
            checked={values.customersMayDecide}
            onChange={({ currentTarget: { checked } }) => set({ customersMayDecide: checked })}
          />
          <Textarea
            label="Issuers of tokens that agents may use"
            description="Addresses that begin with https://, one a line."
            autosize
            minRows={1}
            spellCheck={false}
            value={values.issuers}
            error={issueAt("authorizationServers")}
            onChange={({ currentTarget: { value } }) => set({ issuers: value })}
          />
        </Stack>
      </Fieldset>
    </>
  );
}

/** An empty field is no limit. */
function withNumber(
  budgets: PolicyValues["budgets"],
  budget: Budget,
  value: number | string,
): PolicyValues["budgets"] {
  const { [budget]: _before, ...others } = budgets;
  return typeof value === "number" ? { ...others, [budget]: value } : others;
}

interface HiddenFieldsProps {
  hidden: PolicyValues["hidden"];
  issueAt: (place: string) => string | undefined;
  onHidden: (hidden: PolicyValues["hidden"]) => void;
}

function HiddenFields({ hidden, issueAt, onHidden }: HiddenFieldsProps): JSX.Element {
  return (
    <Fieldset legend="Hidden fields">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          Agents neither see these fields, nor search by them, nor write them. The object * is every object.
        </Text>
        {hidden.map(({ object, fields }, index) => (
          <div
            // oxlint-disable-next-line react/no-array-index-key -- a row has no id, and all of it changes
            key={index}
            role="group"
            aria-label={`Hidden fields ${index + 1}`}
            className={classes["hidden"]}
          >
            <TextInput
              label="Object"
              value={object}
              error={object.trim() === "" ? "Names the object, or * for every object." : undefined}
              onChange={({ currentTarget: { value } }) =>
                onHidden(hidden.with(index, { object: value, fields }))
              }
            />
            <TextInput
              label="Fields, separated by commas"
              value={fields}
              error={issueAt(`hiddenFields.${object.trim()}`)}
              onChange={({ currentTarget: { value } }) =>
                onHidden(hidden.with(index, { object, fields: value }))
              }
            />
            <CloseButton
              size={36}
              aria-label={`Show the fields of ${object || "no object"} again`}
              onClick={() => onHidden(hidden.toSpliced(index, 1))}
            />
          </div>
        ))}
        <Button
          variant="default"
          size="compact-sm"
          className={classes["add"]}
          onClick={() => onHidden([...hidden, { object: "", fields: "" }])}
        >
          Hide fields of an object
        </Button>
      </Stack>
    </Fieldset>
  );
}
