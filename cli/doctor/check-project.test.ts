/** Everything that is wrong with a project is printed once, with a cure; each command of a cure is run as a shell reads it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { runCli } from "../../tests/harness/command-line.ts";
import { openSink } from "../../tests/harness/deliveries/sink.ts";
import { until } from "../../tests/harness/until.ts";
import type { Json } from "../http/json.ts";
import { checkProject } from "./check-project.ts";
import type { Finding } from "./finding.ts";

/** A name that a shell would take apart. */
const GROUP = "O'Brien & Sons";

const server = await shareTestBusbar({ env: { BUSBAR_WEBHOOK_RETRY_SECONDS: "600" } });
const receiver = await openSink();
after(() => receiver.close());

describe("the findings of doctor about a project", () => {
  const installationIds: string[] = [];
  before(async () => {
    receiver.answer = ({ path }, response) => void response.writeHead(path === "/shut" ? 410 : 503).end();
    for (const name of ["dead", "shut"]) {
      await addWebhook(server, name, `${receiver.url}/${name}`);
    }
    for (const groupRef of [GROUP, "acme"]) {
      const { installationId } = await connectCustomer(server, {
        provider: "hubspot",
        groupRef,
        integration: "crm",
        manifest: MANIFEST,
        content: { read: { objects: { contacts: {}, companies: {}, deals: {} } } },
      });
      installationIds.push(installationId);
    }
  });

  const call = async (method: string, path: string): Promise<Json | undefined> =>
    (await server.inProject(method as "GET", path)).body;
  const findFaults = async (): Promise<Finding[]> =>
    (await checkProject({ inProject: call })).filter(({ ok }) => !ok);

  test("a destination that fails or is missing is named once, not for each installation", async () => {
    const faults = await until(async () => {
      const found = await findFaults();
      return found.some(({ detail }) => detail.includes("disabled")) && found.length >= 4 && found;
    });
    assert.deepEqual(
      faults.map(({ check, detail }) => [check, detail.replaceAll(/20\d\d-[\d:T.-]+Z/g, "TIME")]),
      [
        [
          "destination dead",
          "is failing since TIME: the receiver answered 503; the next attempt is due at TIME",
        ],
        ["destination shut", "is disabled since TIME: The receiver answered 410 Gone."],
        [
          "destination gone",
          "There is no destination of this name: what is read and subscribed waits for it. (since TIME, for 2 installations)",
        ],
        ["installations", "2 of 2 are unhealthy for what is named above"],
      ],
    );
  });

  test("each command of a cure runs as it is printed", async () => {
    const faults = await findFaults();
    const printed = [...faults, ...(await checkProject({ inProject: reportEveryReason }))];
    const commands = [...new Set(printed.flatMap(({ cure = "" }) => listCommands(cure)))];
    const verbs = commands.map((line) => line.split(" ").slice(1, 3).join(" "));
    for (const expected of [
      "test destination",
      "resend --destination",
      "rotate destination",
      "update destination",
      "create destination",
      "connect hubspot",
    ])
      assert.ok(verbs.includes(expected), `${expected} is not in ${verbs.join(", ")}`);
    for (const line of commands) {
      const args = splitAsShell(line.replace("<url>", receiver.url));
      // Whoever connects again is waited for, until Ctrl-C.
      const { code, stderr } = await runCli(args.slice(1), {
        env: environment(),
        interrupted: AbortSignal.abort(),
      });
      const expected = /test destination|connect hubspot|doctor$/.test(line) ? 1 : 0;
      assert.equal(code, expected, `${line}\n${stderr}`);
    }
  });

  const environment = () => ({
    BUSBAR_URL: new URL(server.server.urls.base).origin,
    BUSBAR_API_KEY: server.apiKey,
    BUSBAR_PROJECT: "default",
  });

  /** The real answers, but with every reason that there is. */
  async function reportEveryReason(method: string, path: string): Promise<Json | undefined> {
    const answer = await call(method, path);
    if (path !== "/installations" || !Array.isArray(answer)) return answer;
    const [operation] = ((await server.inProject("GET", "/operations")).body as { results: { id: string }[] })
      .results;
    const since = "2026-11-28T12:00:00Z";
    const healthReasons = [
      { type: "connection", name: "hubspot", detail: "The provider refuses the credentials.", since },
      { type: "destination", name: "lost", detail: "There is no destination of this name.", since },
      { type: "field", name: "email", detail: "It is not there.", since },
      { type: "object", name: "contacts", detail: "It is not there.", since },
      { type: "read", name: "contacts", detail: "It failed.", since },
      { type: "read", name: "companies", detail: `The log of operation ${operation?.id} says more.`, since },
      { type: "write", name: "hubspot", detail: "It waits.", since },
      { type: "subscription", name: "contacts", detail: "It could not be set up.", since },
      { type: "of a newer server", name: "contacts", detail: "It is so.", since },
    ];
    return answer.map((one) => ({
      ...(one as object),
      connection: { status: "bad_credentials" },
      healthReasons,
    })) as Json;
  }
});

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - { objectName: contacts, destination: dead, backfill: { defaultPeriod: { fullHistory: true } }, requiredFields: [{ fieldName: email }] }
        - { objectName: companies, destination: gone, requiredFields: [{ fieldName: name }] }
        - { objectName: deals, destination: shut, backfill: { defaultPeriod: { fullHistory: true } }, requiredFields: [{ fieldName: dealname }] }
`;

/** The commands in a sentence: each begins with `busbar` and ends with the sentence, or where another one begins. */
const listCommands = (cure: string): string[] =>
  [...cure.matchAll(/busbar [a-z].*?(?=\. |\.$|, or |; either|$)/g)].map(([line]) => line);

/** Returns the words of a line as bash reads them. */
const splitAsShell = (line: string): string[] =>
  execFileSync("bash", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);
