/** What the protocol's official tests ask of a server under names of their own. Mounted in tests only, on the product's transport. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type GetPromptResult,
  type InputRequiredResult,
  type McpHttpHandler,
  type ServerContext,
  CLIENT_CAPABILITIES_META_KEY,
} from "@modelcontextprotocol/server";

import { isJsonObject, type JsonObject } from "../../ground/json.ts";

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const say = (words: string): CallToolResult => ({ content: [text(words)] });

type Run = (
  context: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>;

const codec = createRequestStateCodec({ key: Buffer.alloc(32, 7), ttlSeconds: 60 });

const nameForm = {
  type: "object" as const,
  properties: { name: { type: "string" as const } },
  required: ["name"],
};
const askName = inputRequired.elicit({ message: "What is your name?", requestedSchema: nameForm });
const askColour = inputRequired.elicit({
  message: "What is your favourite colour?",
  requestedSchema: { type: "object", properties: { color: { type: "string" } }, required: ["color"] },
});
const askConfirmation = inputRequired.elicit({
  message: "Please confirm",
  requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
});
const askModel = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(words) }], maxTokens });

/** Returns the content of a form that the user sent. */
function readForm(given: unknown, member: string): string | undefined {
  const { action, content } = (given ?? {}) as { action?: unknown; content?: Record<string, unknown> };
  const value = content?.[member];
  return action === "accept" && typeof value === "string" ? value : undefined;
}

const answered = ({ mcpReq }: ServerContext, name: string): unknown => mcpReq.inputResponses?.[name];

async function withState(
  context: ServerContext,
  inputRequests: Parameters<typeof inputRequired>[0]["inputRequests"] & object,
  step: string,
): Promise<InputRequiredResult> {
  return inputRequired({ inputRequests, requestState: await codec.mint({ step }, context) });
}

const readStep = ({ mcpReq }: ServerContext): string | undefined =>
  mcpReq.requestState<{ step: string }>()?.step;

const TOOLS: Record<string, Run> = {
  test_simple_text: () => say("This is a simple text response for testing."),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      text("Multiple content types test:"),
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  }),
  test_error_handling: () => ({
    ...say("This tool intentionally returns an error for testing"),
    isError: true,
  }),
  async test_tool_with_progress({ mcpReq }) {
    const { _meta: meta } = mcpReq;
    const progressToken = meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      await sleep(20);
    }
    return say("done");
  },
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log("info", "a line of the log");
    return say("done");
  },
  test_missing_capability: () => inputRequired({ inputRequests: { answer: askModel("Say hello", 10) } }),
  test_streaming_elicitation: () => inputRequired({ inputRequests: { user_name: askName } }),
  test_input_required_result_elicitation(context) {
    const name = readForm(answered(context, "user_name"), "name");
    return name === undefined
      ? inputRequired({ inputRequests: { user_name: askName } })
      : say(`Hello, ${name}!`);
  },
  test_input_required_result_sampling: (context) =>
    answered(context, "capital_question") === undefined
      ? inputRequired({
          inputRequests: { capital_question: askModel("What is the capital of France?", 100) },
        })
      : say(JSON.stringify(answered(context, "capital_question"))),
  test_input_required_result_list_roots: (context) =>
    answered(context, "client_roots") === undefined
      ? inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
      : say(JSON.stringify(answered(context, "client_roots"))),
  test_input_required_result_request_state: (context) =>
    readStep(context) === "asked" && answered(context, "confirm") !== undefined
      ? say("state-ok")
      : withState(context, { confirm: askConfirmation }, "asked"),
  test_input_required_result_multiple_inputs: (context) =>
    ["user_name", "greeting", "client_roots"].every((name) => answered(context, name) !== undefined)
      ? say("all there")
      : withState(
          context,
          {
            user_name: askName,
            greeting: askModel("Generate a greeting", 50),
            client_roots: inputRequired.listRoots(),
          },
          "asked",
        ),
  test_input_required_result_multi_round(context) {
    const step = readStep(context);
    if (step === undefined) return withState(context, { step1: askName }, "named");
    if (step === "named") return withState(context, { step2: askColour }, "coloured");
    return say("both rounds are done");
  },
  test_input_required_result_tampered_state: (context) =>
    readStep(context) === undefined
      ? withState(context, { confirm: askConfirmation }, "asked")
      : say("state-ok"),
  test_input_required_result_capabilities({ mcpReq }) {
    const able = (mcpReq.envelope as JsonObject | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    return inputRequired({
      inputRequests: {
        ...(isJsonObject(able) && "sampling" in able && { answer: askModel("Say hello", 10) }),
        ...(isJsonObject(able) && "elicitation" in able && { user_name: askName }),
      },
    });
  },
};

const NO_ARGUMENTS = { type: "object" as const, properties: {} };
const argument = (name: string) => ({ name, description: "Of the test.", required: true });
const user = (...content: GetPromptResult["messages"][number]["content"][]): GetPromptResult => ({
  messages: content.map((one) => ({ role: "user", content: one })),
});

type Prompt = (args: Record<string, string>, context: ServerContext) => GetPromptResult | InputRequiredResult;

const PROMPTS: Record<string, { takes: string[]; get: Prompt }> = {
  test_simple_prompt: { takes: [], get: () => user(text("This is a simple prompt for testing.")) },
  test_prompt_with_arguments: {
    takes: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    takes: ["resourceUri"],
    get: ({ resourceUri = "" }) =>
      user(
        {
          type: "resource",
          resource: {
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        },
        text("Please process the embedded resource above."),
      ),
  },
  test_prompt_with_image: { takes: [], get: () => user(image, text("Please analyze the image above.")) },
  test_input_required_result_prompt: {
    takes: [],
    get: (_args, context) =>
      context.mcpReq.inputResponses === undefined
        ? inputRequired({ inputRequests: { user_context: askName } })
        : user(text("The prompt, with what was asked for.")),
  },
};

const RESOURCES = [
  {
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  },
  { uri: "test://static-binary", mimeType: "image/png", blob: PNG },
];

function readResource(uri: string) {
  const found = RESOURCES.find((one) => one.uri === uri);
  if (found) return { contents: [found] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Resource not found", { uri });
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: "application/json", text: data }] };
}

const CACHED = { ttlMs: 1_000, cacheScope: "private" } as const;

export const openDiagnosticHandler = (): McpHttpHandler =>
  createMcpHandler(() => {
    const server = new Server(
      { name: "diagnostics", version: "1.0.0" },
      {
        capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
        cacheHints: {
          "tools/list": CACHED,
          "prompts/list": CACHED,
          "resources/list": CACHED,
          "resources/templates/list": CACHED,
          "resources/read": CACHED,
        },
        requestState: { verify: codec.verify },
      },
    );
    server.setRequestHandler("tools/list", () => ({
      tools: Object.keys(TOOLS).map((name) => ({
        name,
        description: "Of the test.",
        inputSchema: NO_ARGUMENTS,
      })),
    }));
    server.setRequestHandler("tools/call", ({ params }, context) => {
      const run = TOOLS[params.name];
      if (!run) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "no such tool");
      return run(context);
    });
    server.setRequestHandler("prompts/list", () => ({
      prompts: Object.entries(PROMPTS).map(([name, { takes }]) => ({
        name,
        description: "Of the test.",
        arguments: takes.map(argument),
      })),
    }));
    server.setRequestHandler("prompts/get", ({ params }, context) => {
      const prompt = PROMPTS[params.name];
      if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "no such prompt");
      return prompt.get(params.arguments ?? {}, context);
    });
    server.setRequestHandler("completion/complete", () => ({
      completion: { values: ["paris", "park"], total: 2, hasMore: false },
    }));
    server.setRequestHandler("resources/list", () => ({
      resources: RESOURCES.map(({ uri, mimeType }) => ({ uri, mimeType, name: uri })),
    }));
    server.setRequestHandler("resources/templates/list", () => ({
      resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }],
    }));
    server.setRequestHandler("resources/read", ({ params }) => readResource(params.uri));
    return server;
  });
