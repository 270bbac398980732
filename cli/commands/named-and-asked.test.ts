/** What commands take for what, against a real server: names in the place of ids, files of providers, and what goes only after a `--yes`. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { runCli, type Surroundings } from "../../tests/harness/command-line.ts";

const MANIFEST = `specVersion: 1.0.0
integrations: [{ name: crm, provider: hubspot, proxy: { enabled: true } }]
`;

const server = await shareTestBusbar();

await server.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });

describe("names and questions", () => {
  const busbar = (args: string[], more: Surroundings = {}) =>
    runCli(args, {
      ...more,
      env: { AMP_API_URL: new URL(server.server.urls.base).origin, AMP_API_KEY: server.apiKey },
    });
  async function json(...args: string[]) {
    const { code, stdout, stderr } = await busbar([...args, "--json"]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }

  test("without a terminal nothing goes along with what was named, unless --yes says so", async () => {
    for (const named of ["integration crm", "project default"]) {
      const { code, stderr } = await busbar(["delete", ...named.split(" ")]);
      assert.equal(code, 2);
      assert.match(stderr, /--yes/);
    }
    assert.equal((await json("get", "integration", "crm")).name, "crm");
  });

  test("a provider app is found by its provider, unless there are several", async () => {
    const create = async (clientId: string) =>
      busbar(
        [
          "create",
          "provider-app",
          "github",
          "--client-id",
          clientId,
          "--client-secret",
          "-",
          "--scope",
          "repo",
        ],
        {
          stdin: "s",
        },
      );
    const first = await create("first");
    assert.equal(first.code, 0);
    assert.doesNotMatch(first.stderr, /older provider app/);
    assert.equal((await json("get", "provider-app", "github")).clientId, "first");
    const changed = await json("update", "provider-app", "github", "--client-id", "changed");
    assert.equal(changed.clientId, "changed");
    assert.match(
      (await create("second")).stderr,
      /an older provider app for github.*busbar update provider-app/,
    );
    const { code, stderr } = await busbar(["delete", "provider-app", "github"]);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`name one by its id.*\\n.*${changed.id}`));
  });

  test("an API key is found by its label, unless several have it", async () => {
    const first = await json("create", "api-key", "ci");
    assert.equal((await json("get", "api-key", "ci")).id, first.id);
    assert.equal((await json("update", "api-key", "ci", "--active", "false")).active, false);
    const second = await json("create", "api-key", "ci");
    const { code, stderr } = await busbar(["delete", "api-key", "ci"]);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`2 API keys for ci; name one by its id.*\\n.*${first.id}, ${second.id}`));
    assert.equal((await busbar(["delete", "api-key", first.id])).code, 0);
    assert.equal((await busbar(["delete", "api-key", "ci"])).stdout, "deleted api-key ci\n");
  });

  test("an API key expires when --expires says, as a time or in how long, and --never-expires ends that", async () => {
    const inDays = (days: number) => Date.now() + days * 86_400_000;
    const made = await json("create", "api-key", "guest", "--expires", "90d");
    assert.ok(Math.abs(Date.parse(made.expireTime) - inDays(90)) < 60_000, made.expireTime);
    const end = new Date(inDays(2)).toISOString();
    assert.equal((await json("update", "api-key", "guest", "--expires", end)).expireTime, end);
    assert.equal((await json("update", "api-key", "guest", "--never-expires")).expireTime, undefined);
    const { code, stderr } = await busbar(["create", "api-key", "other", "--expires", "soon"]);
    assert.equal(code, 2);
    assert.match(stderr, /--expires takes a time, or in how long/);
    for (const [limit, none] of [
      ["--expires=90d", "--never-expires"],
      ["--allow=10.0.0.0/8", "--allow-all"],
    ] as const) {
      const both = await busbar(["update", "api-key", "guest", limit, none]);
      assert.equal(both.code, 2, none);
      assert.match(both.stderr, new RegExp(`${none}.* cannot be used with`));
    }
    assert.equal((await busbar(["delete", "api-key", "guest", "--yes"])).code, 0);
  });

  test("routes are listed with the names of topics and destinations; --json has them as the API gives them", async () => {
    await json("create", "destination", "app", "--webhook", "http://127.0.0.1:9/x");
    await json("create", "topic", "news");
    const route = await json("create", "event-route", "write.async.done", "news");
    await json("create", "destination-route", "news", "app");
    const events = await busbar(["list", "event-routes"]);
    assert.match(events.stdout, new RegExp(`^write.async.done +news +${route.topicId} +${route.id}$`, "m"));
    assert.match((await busbar(["list", "destination-routes"])).stdout, /^news +app +\S+ +\S+ +\S+$/m);
    assert.deepEqual(await json("list", "event-routes"), [route]);
  });

  test("a provider's file is stored, a dry run stores nothing, and a broken file is refused with its line", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "busbar-provider-"));
    const create = (...more: string[]) =>
      busbar(["create", "provider", "x-own", "x-own.yaml", ...more], { cwd });
    await writeFile(join(cwd, "x-own.yaml"), "authType: none\nbaseURL: https://api.quill.example\n");
    assert.match((await create("--dry-run")).stderr, /x-own is valid; nothing was stored/);
    assert.equal((await busbar(["get", "provider", "x-own"])).code, 1);
    assert.match((await create()).stderr, /stored provider x-own/);
    assert.equal((await busbar(["delete", "provider", "x-own", "--yes"])).code, 0);
    await writeFile(join(cwd, "x-own.yaml"), "authType: none\nbasicOpts: &a { b: *a }\n");
    assert.match((await create()).stderr, /x-own\.yaml:2: An alias contains itself/);
    await rm(cwd, { recursive: true });
  });

  test("two files of one provider beside a manifest are refused: one of them would be ignored", async () => {
    const cwd = await mkdtemp(join(tmpdir(), "busbar-provider-"));
    await writeFile(join(cwd, "amp.yaml"), MANIFEST);
    await mkdir(join(cwd, "providers"));
    for (const ending of ["yaml", "json"]) await writeFile(join(cwd, "providers", `x-own.${ending}`), "{}");
    const { code, stderr } = await busbar(["deploy", "."], { cwd });
    assert.deepEqual([code, /two files of x-own/.test(stderr)], [1, true], stderr);
    await rm(cwd, { recursive: true });
  });

  test("a status that no operation has is refused rather than found nowhere", async () => {
    const { code, stderr } = await busbar(["operations", "--installation", "x", "--status", "done"]);
    assert.equal(code, 2);
    assert.match(stderr, /in_progress, success, failure/);
  });

  test("the public command line's spelling deletes without asking, as its scripts expect", async () => {
    assert.equal((await busbar(["delete:integration", "crm"])).code, 0);
  });
});
