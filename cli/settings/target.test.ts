import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { UsageFailure, type Failure } from "../failures.ts";
import { findProfilesPath, readProfiles, writeProfiles } from "./profiles.ts";
import { checkKey, findTarget, readOrigin } from "./target.ts";

describe("which Busbar is meant", () => {
  let home = "";
  let empty = "";
  let served = "";
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "busbar-cli-"));
    [empty, served] = [join(home, "empty"), join(home, "served")];
    await mkdir(empty);
    await mkdir(join(served, ".busbar"), { recursive: true });
    const urls = { base: "http://127.0.0.1:4000/v1", proxy: "http://127.0.0.1:4001" };
    const file = { apiKey: "bb_local", projectId: "p1", urls };
    await writeFile(join(served, ".busbar", "bootstrap.json"), JSON.stringify(file), { mode: 0o600 });
    const all = new Map([
      ["https://one.example", { apiKey: "bb_one", project: "first" }],
      ["https://two.example", { apiKey: "bb_two" }],
    ]);
    await writeProfiles({ HOME: home }, { current: "https://one.example", all });
  });
  after(() => rm(home, { recursive: true, force: true }));

  const target = (options: object, env: Record<string, string> = {}, cwd = empty) =>
    findTarget(options, { env: { HOME: home, ...env }, cwd });
  const pair = async (...given: Parameters<typeof target>) => {
    const { origin, apiKey } = await target(...given);
    return `${origin} ${apiKey}`;
  };

  test("options go before BUSBAR_ variables, those before AMP_ ones, then the folder's server, then the login", async () => {
    const busbar = { BUSBAR_URL: "http://b:1", BUSBAR_API_KEY: "bb_env" };
    const amp = { AMP_API_URL: "http://a:1/v1/", AMP_API_KEY: "amp" };
    assert.equal(
      await pair({ url: "http://o:1", key: "bb_o" }, { ...busbar, ...amp }, served),
      "http://o:1 bb_o",
    );
    assert.equal(await pair({}, { ...busbar, ...amp }, served), "http://b:1 bb_env");
    assert.equal(await pair({}, amp, served), "http://a:1 amp");
    assert.equal(await pair({}, {}, served), "http://127.0.0.1:4000 bb_local");
    assert.equal(await pair({}), "https://one.example bb_one");
    assert.equal((await target({})).project, "first");
    assert.equal((await target({}, { AMP_PROJECT: "amp" })).project, "amp");
  });

  test("a stored key goes to the address that it was stored with and to no other", async () => {
    assert.equal(await pair({ url: "two.example" }), "https://two.example bb_two");
    await assert.rejects(target({ url: "https://three.example" }), UsageFailure);
    await assert.rejects(target({ url: "http://127.0.0.1:4999" }, {}, served), UsageFailure);
    await assert.rejects(target({ url: "http://one.example" }), UsageFailure);
  });

  test("AMP_API_KEY, which may be another vendor's, goes only to an address that was given", async () => {
    assert.equal(await pair({}, { AMP_API_KEY: "amp" }), "https://one.example bb_one");
    assert.equal(await pair({ url: "http://o:1" }, { AMP_API_KEY: "amp" }), "http://o:1 amp");
  });

  test("a bootstrap.json that others can read, as one from a repository, decides nothing", async () => {
    const path = join(served, ".busbar", "bootstrap.json");
    await chmod(path, 0o644);
    assert.equal(await pair({}, {}, served), "https://one.example bb_one");
    await chmod(path, 0o600);
  });

  test("what was found rather than given is said", async () => {
    assert.match((await target({}, {}, served)).found ?? "", /4000 .*\.busbar\/bootstrap\.json/);
    assert.match((await target({})).found ?? "", /one\.example .*logged in/);
    assert.equal((await target({ url: "http://o:1", key: "k" })).found, undefined);
    assert.match((await target({}, {}, served)).insteadOf ?? "", /one\.example .*last login/);
    assert.equal((await target({})).insteadOf, undefined);
    assert.equal((await target({ url: "127.0.0.1:4000" }, {}, served)).insteadOf, undefined);
  });

  test("nothing known is a wrong use, told with the ways out", async () => {
    const nowhere = findTarget({}, { env: { HOME: empty }, cwd: empty });
    await assert.rejects(
      nowhere,
      (error: Failure) => error.exitCode === 2 && /busbar login/.test(error.remedy ?? ""),
    );
  });

  test("keys are stored for their owner only, and a file that others can read is not used", async () => {
    const path = findProfilesPath({ HOME: home });
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(join(path, ".."))).mode & 0o777, 0o700);
    await chmod(path, 0o644);
    await assert.rejects(readProfiles({ HOME: home }), /can be read by other users/);
    await chmod(path, 0o600);
  });

  test("XDG_CONFIG_HOME counts when it is absolute", () => {
    assert.equal(findProfilesPath({ HOME: "/h", XDG_CONFIG_HOME: "/x" }), "/x/busbar/profiles.json");
    assert.equal(findProfilesPath({ HOME: "/h", XDG_CONFIG_HOME: "x" }), "/h/.config/busbar/profiles.json");
  });
});

test("an address may lack its scheme or carry a path, and never a password", () => {
  assert.equal(readOrigin(" https://api.example/v1/ "), "https://api.example");
  assert.equal(readOrigin("api.example:8443"), "https://api.example:8443");
  assert.equal(readOrigin("localhost:4000"), "http://localhost:4000");
  assert.throws(() => readOrigin("ftp://x"), UsageFailure);
  assert.throws(() => readOrigin("http://"), UsageFailure);
  assert.throws(() => readOrigin("http://key:secret@x"), UsageFailure);
});

test("a key that no header can carry is refused without being repeated", () => {
  assert.equal(checkKey(" bb_x\n"), "bb_x");
  assert.throws(
    () => checkKey("bb_secret\r\nX-Other: 1"),
    (error: Error) => !error.message.includes("secret"),
  );
});
