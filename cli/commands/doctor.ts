/** `busbar doctor`: checks for common faults and prints one line for each, with its cure. */
import type { Command } from "commander";
import { checkProject } from "../doctor/check-project.ts";
import { checkProxy, checkServer } from "../doctor/check-server.ts";
import { reportBad, reportGood, type Finding, printFindings } from "../doctor/finding.ts";
import { Ended, EXIT, Unreachable, UsageFailure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import { getTextAt } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import { connect, type Connected } from "../settings/connect.ts";
import { findOwnKey } from "../settings/own-key.ts";
import { replaceKey } from "../settings/refused-key.ts";
import type { Terminal } from "../terminal.ts";

export function addDoctor(program: Command, terminal: Terminal): void {
  program
    .command("doctor")
    .description("check server, key, proxy, destinations, connections and installations")
    .option(
      "--server",
      "check the server of this machine instead: configuration, database, keys, TLS, disk, ports",
    )
    .addHelpText("after", "\nExit code 1: something is wrong; 3: the server cannot be reached.")
    .action(async ({ server }: { server?: boolean }, command: Command) => {
      // The server's own program runs it if it comes first.
      if (server) throw new UsageFailure("Run it where the server is installed: busbar doctor --server");
      const deps = await connect(command, terminal);
      const findings: Finding[] = [];
      const unreachable = await examine(deps, findings);
      printFindings(findings, deps.out);
      if (unreachable) throw new Ended(EXIT.unreachable);
      if (findings.some(({ ok }) => !ok)) throw new Ended();
    });
}

/** Adds findings, skipping checks that an earlier fault makes pointless. Returns true if the server is unreachable. */
async function examine(deps: Connected, findings: Finding[]): Promise<boolean> {
  try {
    findings.push(...(await checkServer(deps.target)));
    if (findings.every(({ check, ok }) => ok || check !== "server")) {
      const access = await checkAccess(deps);
      findings.push(...access);
      // The address of the proxy is shown only to a valid key.
      if (deps.target.proxyUrl || access.every(({ check, ok }) => ok || check !== "key"))
        findings.push(await checkProxy(deps));
      const opens = access.every(({ ok }) => ok) && access.some(({ check }) => check === "project");
      if (opens) findings.push(...(await checkProject(deps)));
    }
    return false;
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    findings.push(reportBad("server", error.message, error.remedy ?? "Start it, or name another by --url."));
    return true;
  }
}

async function checkAccess(deps: Connected): Promise<Finding[]> {
  const { api, target } = deps;
  try {
    await api("GET", "/v1/projects");
    const project =
      getTextAt(await api("GET", `/v1/projects/${encodeStep(await deps.project())}`), "name") ?? "";
    const { scopes, label } = await findOwnKey(deps);
    const named = label === undefined ? "" : ` "${label}"`;
    const key = reportGood("key", `the key${named} is valid, with the scope ${scopes.join(", ")}`);
    if (scopes.includes("full")) return [key, reportGood("project", project)];
    return [reportGood("key", `${key.detail}, so the project's resources are not checked`)];
  } catch (error) {
    if (error instanceof Refused && error.status === 401)
      return [reportBad("key", error.message, replaceKey(target))];
    if (error instanceof Refused && error.status >= 500)
      return [reportBad("project", error.message, "Check the server's log and its database.")];
    if (error instanceof Refused)
      return [reportBad("project", error.message, "Name another by --project or BUSBAR_PROJECT.")];
    if (error instanceof UsageFailure) return [reportBad("project", error.message, error.remedy ?? "")];
    throw error;
  }
}
