/** A new provider of the project's own: its key, and a document that begins with a template. */
import { useState, type JSX } from "react";
import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { encodePart, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProviderEditor } from "./provider-editor.tsx";
import { TEMPLATES } from "./provider-templates.ts";

/** The API's rule for keys of custom providers. */
const KEY = /^x-[a-z0-9][a-z0-9-]{0,60}$/;

export function NewProviderPage(): JSX.Element {
  const open = useOpenInProject();
  const [key, setKey] = useState("");
  const [template, setTemplate] = useState(TEMPLATES[0]);
  const isKey = KEY.test(key);
  return (
    <Page
      title="New provider"
      above={<ProjectLink to="/providers">Custom providers</ProjectLink>}
      about="A provider that the catalog lacks: how customers connect, and with a connector, what is written and read."
    >
      <ProviderEditor
        providerKey={isKey ? key : ""}
        source={template.text}
        reason={isKey ? undefined : "It needs a key."}
        onStored={(made) => open(`/providers/${encodePart(made.key)}`)}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mb="sm">
          <TextInput
            label="Key"
            description="x- and lower-case letters, digits and dashes; manifests name the provider by it."
            placeholder="x-my-crm"
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            error={isKey || "x-".startsWith(key) ? undefined : "This is no key."}
            autoComplete="off"
          />
          <NativeSelect
            label="Start from"
            description="Replaces what is in the editor."
            data={TEMPLATES.map(({ id, title }) => ({ value: id, label: title }))}
            value={template.id}
            onChange={(event) =>
              setTemplate(TEMPLATES.find(({ id }) => id === event.currentTarget.value) ?? TEMPLATES[0])
            }
          />
        </SimpleGrid>
      </ProviderEditor>
    </Page>
  );
}
