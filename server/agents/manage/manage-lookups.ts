/** Tools that say what there is in a project, in the catalog and in the guide. */
import { Type } from "typebox";
import { isJsonObject, type JsonObject } from "../../../ground/json.ts";
import { openGuide } from "../../guide/open-guide.ts";
import { toSectionPath } from "../../guide/guide-pages.ts";
import { readOperation, truncateToBytes } from "../agent-lookups.ts";
import { defineTool, LOOKS_UP } from "../agent-tool.ts";
import { callAs } from "../api-operations.ts";
import { listPage, type ManageCall } from "./manage-call.ts";

const RIGHTS = ["full"] as const;
const Text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));
const Entry = (description: string) => Type.Object({}, { additionalProperties: true, description });
const Truncated = Type.Boolean({ description: "Whether more was found than fits: narrow it down." });
const Cursor = Type.Optional(
  Type.String({ description: "Where the next page begins. Absent: this was the last." }),
);
const paging = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: "Entries at most. Default 25." }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: "`cursor` of the page before." })),
};

const ProviderArgument = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "Key of the provider, from list_providers.",
});

export const OperationArgument = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "Id of the operation, from list_operations or the answer of a write.",
});

const MAX_SECTIONS = 8;
const MAX_SECTION_LENGTH = 4_000;

export const searchDocsTool = defineTool({
  name: "search_docs",
  title: "Search the guide",
  description:
    "Finds the sections of Busbar's guide that fit a question best: how to write a manifest, read, subscribe, write, map fields, describe " +
    "a provider of one's own, and what errors mean. Use a few words, not a sentence.",
  input: Type.Object({
    query: Type.String({ minLength: 1, maxLength: 200, description: "Words to look for." }),
  }),
  output: Type.Object({
    sections: Type.Array(
      Type.Object({
        page: Type.String({ description: "Title of the page." }),
        title: Type.String({ description: "Heading of the section." }),
        url: Type.String({ description: "Address of the section." }),
        text: Type.String({ description: "Markdown of the section; its beginning, if it is long." }),
      }),
      { description: "The best first." },
    ),
  }),
  annotations: LOOKS_UP,
  rights: RIGHTS,
  async run({ deps }: ManageCall, { query }) {
    const guide = await openGuide();
    const found = guide.search(query, MAX_SECTIONS).map((section) => ({
      page: section.pageTitle,
      title: section.title,
      url: `${deps.publicUrl()}${toSectionPath(section)}`,
      text: section.text.slice(0, MAX_SECTION_LENGTH),
    }));
    return { sections: truncateToBytes(found).kept };
  },
});

const ACTIONS = ["read", "write", "delete", "search", "subscribe", "proxy"] as const;

export const listProvidersTool = defineTool({
  name: "list_providers",
  title: "List providers",
  description:
    "Lists the providers that a manifest of this project may name, with the actions that this Busbar can run: read, write, subscribe, " +
    "proxy and so on. `query` is a part of the name.",
  input: Type.Object({ query: Text("A part of the provider's key or name.") }),
  output: Type.Object({
    providers: Type.Array(
      Type.Object({
        provider: Type.String({ description: "Key, for a manifest." }),
        displayName: Type.String({ description: "Name of the product." }),
        authType: Type.String({ description: "How customers connect." }),
        actions: Type.Array(Type.String(), { description: "What this Busbar can do there." }),
      }),
      { description: "By key." },
    ),
    truncated: Truncated,
  }),
  annotations: LOOKS_UP,
  rights: RIGHTS,
  async run({ deps, session }: ManageCall, { query = "" }) {
    const part = query.trim().toLowerCase();
    const catalog = deps.catalog.of(session.project.id);
    const found = Object.entries(catalog.all())
      .filter(([key, info]) => `${key} ${info.displayName}`.toLowerCase().includes(part))
      .map(([key, info]): JsonObject => ({
        provider: key,
        displayName: info.displayName ?? key,
        authType: info.authType,
        actions: ACTIONS.filter((action) => catalog.built(key, action)),
      }));
    const { kept, truncated } = truncateToBytes(found);
    return { providers: kept, truncated };
  },
});

export const describeProviderTool = defineTool({
  name: "describe_provider",
  title: "Describe a provider",
  description:
    "Returns what is known of a provider: how customers connect, the objects that can be read and written where they are known without " +
    "an account, and the guide's page with limits and sources.",
  input: Type.Object({ provider: ProviderArgument }),
  output: Type.Object({
    provider: Entry("The provider's entry in the catalog."),
    objects: Type.Optional(
      Type.Object(
        {
          read: Type.Array(Type.String(), { description: "Those that can be read." }),
          write: Type.Array(Type.String(), { description: "Those that can be written." }),
        },
        { description: "Objects by the provider's names. Absent: only the account knows them." },
      ),
    ),
    page: Type.Optional(
      Type.String({ description: "The guide's page as Markdown; its beginning, if it is long." }),
    ),
  }),
  annotations: LOOKS_UP,
  rights: RIGHTS,
  async run(call: ManageCall, { provider }) {
    const { deps, session } = call;
    const info = await callAs(call, "getProvider", { params: { provider } });
    const objects = deps.catalog.of(session.project.id).connector(provider)?.objects;
    const page = (await openGuide()).pages.get(`providers/${provider}`)?.markdown;
    return {
      provider: isJsonObject(info) ? info : {},
      ...(objects && { objects: { read: objects.names("read"), write: objects.names("write") } }),
      ...(page !== undefined && { page: page.slice(0, 5 * MAX_SECTION_LENGTH) }),
    };
  },
});

export const listProjectIntegrationsTool = defineTool({
  name: "list_integrations",
  title: "List integrations",
  description:
    "Lists the project's integrations with their newest revisions, how many customers have installed each, and how many of those are " +
    "unhealthy.",
  input: Type.Object({}),
  output: Type.Object({
    integrations: Type.Array(Entry("An integration, as in the API."), { description: "By name." }),
    truncated: Truncated,
  }),
  annotations: LOOKS_UP,
  rights: RIGHTS,
  async run(call: ManageCall) {
    const answer = await callAs(call, "listIntegrations");
    const { kept, truncated } = truncateToBytes(Array.isArray(answer) ? answer.filter(isJsonObject) : []);
    return { integrations: kept, truncated };
  },
});

export const listCustomersTool = defineTool({
  name: "list_customers",
  title: "List customers",
  description: "Lists the project's customers (groups), each with its health and the reasons for it.",
  input: Type.Object({
    query: Text("A part of the customer's `groupRef` or name."),
    healthStatus: Type.Optional(
      Type.Enum(["healthy", "unhealthy"], { description: "Only customers of this health." }),
    ),
    ...paging,
  }),
  output: Type.Object({
    customers: Type.Array(Entry("A customer, as in the API."), { description: "By `groupRef`." }),
    cursor: Cursor,
  }),
  annotations: LOOKS_UP,
  rights: RIGHTS,
  async run(call: ManageCall, { query, ...rest }) {
    const { entries, ...next } = await listPage(call, "listGroups", { text: query, ...rest });
    return { customers: entries, ...next };
  },
});

export const listOperationsTool = defineTool({
  name: "list_operations",
  title: "List operations",
  description:
    "Lists reads and writes of all customers, the newest first: status, object, customer, result. Use explain_failure for one that failed.",
  input: Type.Object({
    query: Text("A text in the result, the object, or the name of the integration or customer."),
    status: Type.Optional(
      Type.Enum(["in_progress", "success", "failure"], { description: "Only operations in this status." }),
    ),
    groupRef: Text("Only operations of this customer."),
    integration: Text("Only operations of this integration, by name or id."),
    ...paging,
  }),
  output: Type.Object({
    operations: Type.Array(Entry("An operation, as in the API."), { description: "The newest first." }),
    cursor: Cursor,
  }),
  annotations: LOOKS_UP,
  rights: RIGHTS,
  async run(call: ManageCall, { query, ...rest }) {
    const { entries, ...next } = await listPage(call, "listProjectOperations", { text: query, ...rest });
    return { operations: entries, ...next };
  },
});

export const getProjectOperationTool = defineTool({
  name: "get_operation",
  title: "Get an operation",
  description: "Returns a read or write with its steps: the plan, each request to the provider, the outcome.",
  input: Type.Object({ operationId: OperationArgument }),
  output: Type.Object({
    operation: Entry("The operation, as in the API."),
    log: Type.Array(Entry("A step."), { description: "Oldest first." }),
    truncated: Truncated,
  }),
  annotations: LOOKS_UP,
  rights: RIGHTS,
  run: async (call: ManageCall, { operationId }) => readOperation(call, operationId),
});

export const listDeliveriesTool = defineTool({
  name: "list_deliveries",
  title: "List deliveries",
  description:
    "Lists messages to the builder's destinations, the newest first: status, attempts, the receiver's answers. `status=failed` are those " +
    "that were given up.",
  input: Type.Object({
    status: Type.Optional(
      Type.Enum(["sending", "waiting", "delivered", "failed"], {
        description: "Only deliveries in this status.",
      }),
    ),
    groupRef: Text("Only deliveries of this customer's data."),
    integration: Text("Only deliveries of this integration's data, by name or id."),
    object: Text("Only deliveries of records of this object."),
    ...paging,
  }),
  output: Type.Object({
    deliveries: Type.Array(Entry("A delivery, as in the API."), { description: "The newest first." }),
    cursor: Cursor,
  }),
  annotations: LOOKS_UP,
  rights: RIGHTS,
  async run(call: ManageCall, filters) {
    const { entries, ...next } = await listPage(call, "listProjectDeliveries", filters);
    return { deliveries: entries, ...next };
  },
});
