/** Manifests to begin with, each with comments that say what to change. */

interface ManifestTemplate {
  id: string;
  title: string;
  text: string;
}

const formatHead = (name: string): string => `specVersion: 1.0.0
integrations:
  - name: ${name}
    displayName: My integration # customers see it
    provider: hubspot # any of the catalog
`;

export const TEMPLATES: readonly [ManifestTemplate, ...ManifestTemplate[]] = [
  {
    id: "write",
    title: "Write records, and call the provider through the proxy",
    text: `${formatHead("my-integration")}    write:
      objects:
        - objectName: contacts
    proxy:
      enabled: true
`,
  },
  {
    id: "read",
    title: "Read records on a schedule",
    text: `${formatHead("my-reading")}    read:
      objects:
        - objectName: contacts
          destination: my-app # receives the records
          schedule: "*/30 * * * *"
          backfill:
            defaultPeriod:
              fullHistory: true
          requiredFields:
            - fieldName: email
          optionalFieldsAuto: all # customers may add any other field
`,
  },
  {
    id: "subscribe",
    title: "Subscribe to changes",
    text: `${formatHead("my-subscription")}    subscribe:
      objects:
        - objectName: contacts
          destination: my-app # receives the changes
          inheritFieldsAndMapping: true
          createEvent:
            enabled: always
          updateEvent:
            enabled: always
            watchFieldsAuto: all
    read: # the fields that changes carry
      objects:
        - objectName: contacts
          destination: my-app
          requiredFields:
            - fieldName: email
`,
  },
  {
    id: "proxy",
    title: "Only call the provider through the proxy",
    text: `${formatHead("my-proxy")}    proxy:
      enabled: true
`,
  },
];

export const getTemplateText = (id: string): string =>
  (TEMPLATES.find((template) => template.id === id) ?? TEMPLATES[0]).text;
