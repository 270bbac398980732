/** Documents of providers to begin with, each with comments that say what to change. */

export interface ProviderTemplate {
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

export const TEMPLATES: readonly [ProviderTemplate, ...ProviderTemplate[]] = [
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
