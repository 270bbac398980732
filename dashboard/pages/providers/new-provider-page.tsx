/** A new provider of the project's own: its key, and a document that begins with a template. */
import { type JSX, useState } from "react";
import { NativeSelect, SimpleGrid, TextInput } from "@mantine/core";
import { encodePart, ProjectLink, useOpenInProject } from "../../frame/page-link.tsx";
import { Page } from "../../frame/page.tsx";
import { ProviderEditor } from "./provider-editor.tsx";

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

interface ProviderTemplate {
  id: string;
  title: string;
  text: string;
}

const API_KEY = `displayName: My CRM # customers see it
authType: apiKey
baseURL: https://api.crm.example # without a slash at the end
apiKeyOpts:
  attachmentType: header
  header: { name: Authorization, valuePrefix: "Bearer " }
`;

const TEMPLATES: readonly [ProviderTemplate, ...ProviderTemplate[]] = [
  { id: "api-key", title: "API key: connecting and the proxy", text: API_KEY },
  {
    id: "oauth",
    title: "OAuth 2 with a consent page",
    text: `displayName: My CRM # customers see it
authType: oauth2
baseURL: https://api.crm.example # without a slash at the end
oauth2Opts:
  grantType: authorizationCode # register the client under “Provider apps”
  authURL: https://crm.example/oauth/authorize
  tokenURL: https://crm.example/oauth/token
`,
  },
  {
    id: "connector",
    title: "API key, with records to write and read",
    text: `${API_KEY}connector:
  defaults:
    create: { method: POST, path: "/v1/{path}" }
    update: { method: PATCH, path: "/v1/{path}/{id}" }
    delete: { method: DELETE, path: "/v1/{path}/{id}" }
    list: { path: "/v1/{path}", pageSize: { to: query.per_page, most: 100 } }
    records: results # where the answer has them
    paging: { cursor: { from: meta.next, to: query.after } }
    changedPath: updated_at # when a record was last changed
    since: { to: query.changed_since }
  objects:
    people: {} # as the defaults say
    deals: {}
  errors: { message: [error.text] }
  sources: { documentation: "https://docs.crm.example", checked: "documentation only" }
`,
  },
];
