/** Writes as a customer: first as a dry run, then for real. */
import { useState, type JSX } from "react";
import { Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { Answer } from "../../api/call.ts";
import { useCall } from "../../api/queries.ts";
import { AddressText } from "../../frame/address-text.tsx";
import { buildCurl } from "../../frame/data/curl.ts";
import { useFilters } from "../../frame/data/filters.ts";
import { useProjectName } from "../../frame/project.ts";
import { CodeBlock } from "../../ui/code/code-block.tsx";
import { CodeEditor } from "../../ui/code/code-editor.tsx";
import { Section } from "../../ui/section.tsx";
import { SendWrite, type WriteCall } from "./send-write.tsx";

type Installation = Answer<"listProjectInstallations">["results"][number];

const TYPES = ["create", "update", "upsert", "delete"] as const;
const MODES = ["synchronous", "asynchronous"] as const;

interface WriteFormProps {
  installation: Installation;
  /** Text of an earlier call. */
  text: string | undefined;
}

export function WriteForm({ installation, text: earlier }: WriteFormProps): JSX.Element {
  const [values, setValues] = useFilters("object", "type", "mode", "fields", "upsertKey");
  const [text, setText] = useState(earlier ?? writeEmptyRecord(values.fields));
  const [idempotencyKey, setIdempotencyKey] = useState("");
  const objects = useObjects(installation);
  const objectName = values.object ?? objects[0] ?? "";
  const type = TYPES.find((one) => one === values.type) ?? "create";
  const mode = MODES.find((one) => one === values.mode) ?? "synchronous";
  const records = readRecords(text);
  const wanted = { objectName, type, mode, key: values.upsertKey ?? "", idempotencyKey };
  const sent = buildCall(useProjectName(), installation, wanted, records);
  // Names the customer, too, because the list of installations may have many pages.
  const place = { installationId: installation.id, groupRef: installation.group.groupRef };
  const problem = objectName === "" ? "Name the object." : records ? undefined : NO_RECORD;
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="sm">
        <Settings
          objects={objects}
          wanted={wanted}
          onAddress={(change) => setValues({ ...values, ...change })}
          onIdempotencyKey={setIdempotencyKey}
        />
        <RecordField text={text} onText={setText} />
        <SendWrite
          sent={sent}
          problem={problem}
          again={{ filters: { ...values, ...place, object: objectName }, text }}
          share={shareAddress({
            ...values,
            ...place,
            object: objectName,
            fields: listFields(records).join(","),
          })}
        />
      </Stack>
      <div>
        <Section title="The same in a shell">
          <CodeBlock
            name="curl"
            text={buildCurl(location.origin, "writeRecords", sent.input, sent.headers)}
            wraps
          />
        </Section>
      </div>
    </SimpleGrid>
  );
}

interface SettingsProps {
  objects: readonly string[];
  wanted: Wanted;
  /** Changes filters of the address. */
  onAddress: (change: Readonly<Record<string, string>>) => void;
  onIdempotencyKey: (key: string) => void;
}

const Settings = ({ objects, wanted, onAddress, onIdempotencyKey }: SettingsProps): JSX.Element => (
  <>
    <Group grow align="flex-start">
      <AddressText
        key={objects[0]}
        label="Object"
        list="playground-objects"
        first={wanted.objectName}
        onText={(object) => onAddress({ object })}
      />
      <NativeSelect
        label="Type"
        data={TYPES}
        value={wanted.type}
        onChange={({ currentTarget }) => onAddress({ type: currentTarget.value })}
      />
    </Group>
    <datalist id="playground-objects">
      {objects.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </datalist>
    <Group grow align="flex-start">
      <NativeSelect
        label="Mode"
        data={MODES}
        value={wanted.mode}
        onChange={({ currentTarget }) => onAddress({ mode: currentTarget.value })}
      />
      <TextInput
        label="Idempotency key"
        placeholder="None"
        value={wanted.idempotencyKey}
        onChange={({ currentTarget }) => onIdempotencyKey(currentTarget.value)}
      />
    </Group>
    {wanted.type === "upsert" && (
      <AddressText
        label="Key"
        description="The field whose value names the record."
        first={wanted.key}
        onText={(upsertKey) => onAddress({ upsertKey })}
      />
    )}
  </>
);

const RecordField = ({ text, onText }: { text: string; onText: (text: string) => void }): JSX.Element => (
  <div>
    <Text size="sm" fw={600}>
      Record
    </Text>
    <Text size="xs" c="dimmed" mb={4}>
      A JSON object. An array of objects is written as a batch. An update names the record in <code>id</code>.
    </Text>
    <CodeEditor name="Record" language="json" value={text} onChange={onText} height={200} />
  </div>
);

const NO_RECORD = "The record is neither a JSON object nor an array of objects.";

/** Objects that the integration or the installation writes. */
function useObjects({ projectId, integrationId, config }: Installation): string[] {
  const integration = useCall("getIntegration", {
    projectIdOrName: projectId,
    integrationIdOrName: integrationId,
  }).data;
  const ofManifest = integration?.latestRevision.content.write?.objects ?? [];
  const ofInstallation = Object.keys(config.content.write?.objects ?? {});
  return [...new Set([...ofManifest.map(({ objectName }) => objectName), ...ofInstallation])];
}

interface Wanted {
  objectName: string;
  type: (typeof TYPES)[number];
  mode: (typeof MODES)[number];
  /** Key field of an upsert. */
  key: string;
  idempotencyKey: string;
}

function buildCall(
  projectIdOrName: string,
  installation: Installation,
  { objectName, type, mode, key, idempotencyKey }: Wanted,
  records: ReturnType<typeof readRecords>,
): WriteCall {
  const input = {
    projectIdOrName,
    integrationId: installation.integrationName,
    objectName: objectName || "object",
    body: {
      groupRef: installation.group.groupRef,
      type,
      ...(type === "upsert" && { key }),
      ...(mode === "asynchronous" && { mode }),
      ...records,
    },
  };
  return { input, headers: idempotencyKey === "" ? {} : { "Idempotency-Key": idempotencyKey } };
}

/** Returns the address of this form, with the names of the fields, but without values. */
function shareAddress(filters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(filters)) if (value) url.searchParams.set(name, value);
  return url.href;
}

/** What the text of the field "Record" holds: one record, or an array of them, which is a batch. */
type Records = { record: Record<string, unknown> } | { batch: { record: Record<string, unknown> }[] };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads the text of the field "Record". Returns undefined if it is neither. */
function readRecords(text: string): Records | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value))
      return value.length > 0 && value.every(isRecord)
        ? { batch: value.map((record) => ({ record })) }
        : undefined;
    return isRecord(value) ? { record: value } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the names of all fields, without values. */
function listFields(records: Records | undefined): string[] {
  if (!records) return [];
  const all = "batch" in records ? records.batch.map(({ record }) => record) : [records.record];
  return [...new Set(all.flatMap((record) => Object.keys(record)))];
}

/** Returns the text of a record with these fields and empty values. */
const writeEmptyRecord = (fields: string | undefined): string =>
  JSON.stringify(
    Object.fromEntries(
      (fields ?? "")
        .split(",")
        .filter(Boolean)
        .map((name) => [name, ""]),
    ),
    undefined,
    2,
  );
