/**
 * Measures what a call of an agent's tool costs beside the same call of the API, in turns. See bench/README.md.
 *
 *     node bench/agents/run.ts [--quick]
 */
import { openReadBench, requireMade, computeQuantile, type ReadBench } from "../read/read-bench.ts";

const quick = process.argv.includes("--quick");
const CALLS = quick ? 100 : 500;
const ROUNDS = quick ? 2 : 7;
const PARALLEL = 4;
const GROUP = "acme";
const REVISION = "2026-07-28";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: sink
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: email }]
    write:
      objects: [{ objectName: contacts, inheritMapping: true }]
`;

type Call = (number: number) => Promise<{ status: number; text: string }>;

/** The same act, through the API and through a tool. */
interface Act {
  name: string;
  api: Call;
  tool: Call;
}

function listActs({ busbar }: ReadBench, recordId: string): Act[] {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(busbar.origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": busbar.apiKey, ...headers },
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const tool = (name: string, args: object) => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": REVISION,
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name, arguments: args, _meta: meta };
    return post(
      `/mcp/v1/projects/default/groups/${GROUP}`,
      { jsonrpc: "2.0", id: 1, method: "tools/call", params },
      {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
    );
  };
  return [
    {
      name: "search",
      api: () =>
        post(`/search/v1/projects/default/integrations/crm?groupRef=${GROUP}`, {
          objectName: "contacts",
          fieldFilters: [{ fieldName: "email", operator: "eq", value: "nobody@x.example" }],
        }),
      tool: () =>
        tool("search_records", {
          object: "contacts",
          filters: [{ field: "email", operator: "eq", value: "nobody@x.example" }],
        }),
    },
    {
      name: "update",
      api: (number) =>
        post("/write/v1/projects/default/integrations/crm/objects/contacts", {
          groupRef: GROUP,
          type: "update",
          record: { id: recordId, email: `api${number}@x.example` },
        }),
      tool: (number) =>
        tool("update_record", {
          object: "contacts",
          id: recordId,
          record: { email: `tool${number}@x.example` },
        }),
    },
  ];
}

/** Returns the CPU time of Busbar and of PostgreSQL for one call, in µs. */
async function measure(
  bench: ReadBench,
  call: Call,
  from: number,
): Promise<{ node: number; postgres: number }> {
  const before = bench.processorMs();
  let next = from;
  const end = from + CALLS;
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      while (next < end) {
        const { status, text } = await call(next++);
        if (status !== 200 || text.includes('"isError":true')) throw new Error(text);
      }
    }),
  );
  const after = bench.processorMs();
  return {
    node: ((after.node - before.node) * 1_000) / CALLS,
    postgres: ((after.postgres - before.postgres) * 1_000) / CALLS,
  };
}

// Minutes as they are: what runs beside the calls is not to be measured.
const bench = await openReadBench({ records: 1, minuteMs: 60_000 });
try {
  await bench.deploy(MANIFEST);
  await bench.install({ integration: "crm", groupRef: GROUP, provider: "hubspot" });
  await requireMade(bench.busbar.inProject("PUT", "/agent-policy", { default: { write: "allow" } }));
  const created = await bench.busbar.write("crm", "contacts", {
    groupRef: GROUP,
    type: "create",
    record: { email: "first@x.example" },
  });
  const acts = listActs(bench, created.body.result.recordId);
  for (const { name, api, tool } of acts) {
    for (const call of [api, tool]) await measure(bench, call, 1_000_000);
    const added: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const plain = await measure(bench, api, round * CALLS);
      const asAgent = await measure(bench, tool, round * CALLS);
      added.push(asAgent.node + asAgent.postgres - plain.node - plain.postgres);
      console.log(
        `${name}, round ${round + 1}: the API ${Math.round(plain.node)} µs of Node and ${Math.round(plain.postgres)} µs of PostgreSQL, ` +
          `the tool ${Math.round(asAgent.node)} and ${Math.round(asAgent.postgres)}`,
      );
    }
    console.log(
      `${name}: a tool costs ${Math.round(computeQuantile(added, 0.5))} µs more, median (target 2,000 µs)`,
    );
  }
} finally {
  await bench.close();
}
