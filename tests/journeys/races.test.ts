/** Management calls that race for the same rows: each is done or refused for a reason, none fails. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../harness/busbar.ts";

const NAMES = ["first", "second", "third"];
const GROUPS = ["one", "two"];
const STEPS = 30;

/** On a busy machine, 503 says that no connection to the database became free in time. */
const isAnswer = ({ status }: Answer): boolean => status < 500 || status === 503;

const manifest = (names: string[]) =>
  `specVersion: 1.0.0\nintegrations:\n${names
    .map(
      (name) => `  - name: ${name}
    provider: hubspot
    write: { objects: [{ objectName: contacts }] }
    proxy: { enabled: true }
`,
    )
    .join("")}`;

const busbar = await shareTestBusbar();

describe("management calls at the same time", () => {
  test("deploying, connecting, installing, changing and deleting never answer 500", async () => {
    /** Newest last; what was deleted stays in the list. */
    const installations: string[] = [];
    const connections: string[] = [];
    let turn = 0;
    // Every worker goes its own way through the same few rows.
    const pick = <T>(list: T[]): T | undefined => list.at(-1 - (turn++ % Math.min(3, list.length || 1)));
    const kept = (list: string[], answer: Answer, id: string): Answer => {
      if (answer.status === 201) list.push(id);
      return answer;
    };
    const oauth = { accessToken: { token: busbar.sandbox.hubspot.staticToken } };
    const enabled = { config: { content: { proxy: { enabled: false } } } };
    const steps: ((name: string, groupRef: string) => Promise<Answer> | undefined)[] = [
      () => busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest(NAMES) }),
      () => busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest(NAMES.toReversed()) }),
      async (_name, groupRef) => {
        const body = {
          provider: "hubspot",
          groupRef,
          consumerRef: groupRef,
          oauth2AuthorizationCode: oauth,
        };
        const answer = await busbar.inProject("POST", "/connections:generate", body);
        return kept(connections, answer, answer.body.id);
      },
      async (name, groupRef) => {
        const body = { groupRef, config: { content: {} } };
        const answer = await busbar.inProject("POST", `/integrations/${name}/installations`, body);
        return kept(installations, answer, `${name}/installations/${answer.body.id}`);
      },
      (name, groupRef) =>
        busbar.inProject("PATCH", `/integrations/${name}/objects/contacts/config-content`, {
          groupRef,
          action: "write",
          changes: [{ op: "add", path: "/deletionSettings", value: { enabled: true } }],
        }),
      () =>
        busbar.inProject("PATCH", `/integrations/${pick(installations)}`, {
          updateMask: ["config.content.proxy.enabled"],
          installation: enabled,
        }),
      () => busbar.inProject("DELETE", `/integrations/${pick(installations)}`),
      () => busbar.inProject("DELETE", `/connections/${pick(connections)}`),
      (name) => (turn % 4 === 0 ? busbar.inProject("DELETE", `/integrations/${name}`) : undefined),
    ];
    const seen = new Set<string>();
    const worker = async (own: number) => {
      for (let taken = 0, step = own; taken < STEPS; taken++, step += 1 + (own % 4)) {
        const name = NAMES[step % NAMES.length] ?? "";
        const answer = await steps[step % steps.length]?.(name, GROUPS[step % GROUPS.length] ?? "");
        if (!answer) continue;
        seen.add(`${step % steps.length} ${answer.status}`);
        assert.ok(isAnswer(answer), answer.text);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, own) => worker(own)));
    assert.ok(seen.size > 8, [...seen].join(", "));
  });

  const connect = (groupRef: string, provider = "hubspot") =>
    busbar.inProject("POST", "/connections:generate", {
      provider,
      groupRef,
      consumerRef: groupRef,
      oauth2AuthorizationCode: { accessToken: { token: busbar.sandbox.hubspot.staticToken } },
    });
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status).toSorted();
  const reported = async (query: string): Promise<number> =>
    (await busbar.inProject("GET", `/events?${query}`)).body.results.length;

  test("of several requests that delete the same connection or integration, one does so, and each event is reported once", async () => {
    for (const name of ["once", "again"]) {
      await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest([name]) });
      const { id } = (await connect(`lone-${name}`)).body;
      const lone = await Promise.all(
        Array.from({ length: 5 }, () => busbar.inProject("DELETE", `/connections/${id}`)),
      );
      assert.deepEqual(statuses(lone), [204, 404, 404, 404, 404]);
      assert.equal(await reported(`type=connection.deleted&connectionId=${id}`), 1);

      await connect(name);
      const path = `/integrations/${name}/installations`;
      const installed = await busbar.inProject("POST", path, { groupRef: name, config: { content: {} } });
      const going = await Promise.all([
        ...Array.from({ length: 3 }, () => busbar.inProject("DELETE", `/integrations/${name}`)),
        busbar.inProject("DELETE", `${path}/${installed.body.id}`),
      ]);
      assert.deepEqual(
        statuses(going.slice(0, 3)).filter((status) => status === 204),
        [204],
      );
      assert.equal(await reported(`type=installation.deleted&installationId=${installed.body.id}`), 1);
    }
  });

  test("a connection whose provider app is deleted while it is stored is refused, not failed", async () => {
    for (let turn = 0; turn < 5; turn++) {
      const app = { provider: "slack", clientId: "client", clientSecret: "secret", scopes: ["chat:write"] };
      const { id } = (await busbar.inProject("POST", "/provider-apps", app)).body;
      const [made, gone] = await Promise.all([
        connect(`slack-${turn}`, "slack"),
        busbar.inProject("DELETE", `/provider-apps/${id}`),
      ]);
      assert.ok(isAnswer(made) && isAnswer(gone), `${made.text} ${gone.text}`);
    }
  });
});
