/** Connects a command with its server, its project and its output. */
import type { Command } from "commander";
import { UsageFailure } from "../failures.ts";
import { openApi, encodeStep, type Api, type Asked } from "../http/api.ts";
import { requireObjects, getTextAt, type Json } from "../http/json.ts";
import { Refused } from "../http/refused.ts";
import { createOutput, type Output } from "../output/output.ts";
import type { Terminal } from "../terminal.ts";
import { explainRefusedKey } from "./refused-key.ts";
import { findTarget, type GlobalOptions, type Target } from "./target.ts";

export interface Connected {
  api: Api;
  /** Calls below `/v1/projects/{project}`; the project is looked up at the first call. */
  inProject: Api;
  /** Id or name. */
  project(): Promise<string>;
  target: Target;
  out: Output;
}

/** Throws `UsageFailure` if no server is configured. */
export async function connect(command: Command, terminal: Terminal): Promise<Connected> {
  const options: GlobalOptions = command.optsWithGlobals();
  const out = createOutput(terminal, options);
  const target = await findTarget(options, terminal);
  if (target.found && options.verbose) out.note(`using ${target.found}`);
  else if (target.found && target.insteadOf) out.note(`using ${target.found}, not ${target.insteadOf}`);
  return open(target, out);
}

function open(target: Target, out: Output): Connected {
  const api = explainRefusedKey(openApi(target), target);
  let known: Promise<string> | undefined;
  const project = () => (known ??= target.project ? Promise.resolve(target.project) : getOnlyProject(api));
  return {
    api,
    project,
    target,
    out,
    inProject: async (method: string, path: string, asked?: Asked): Promise<Json | undefined> =>
      api(method, `/v1/projects/${encodeStep(await project())}${path}`, asked),
  };
}

/** Explains the refusal of a key that may only write, read or call the proxy, with what the command needs instead. */
export const withoutConnecting = (error: unknown, remedy: string): unknown =>
  error instanceof Refused && error.status === 403
    ? new UsageFailure("This API key may not look up its project.", { remedy, cause: error })
    : error;

/** Returns the only project of the key. Throws `UsageFailure` if there are several. */
async function getOnlyProject(api: Api): Promise<string> {
  const listed = await api("GET", "/v1/projects").catch((error: unknown) => {
    throw withoutConnecting(error, "Name it with --project or BUSBAR_PROJECT; for the proxy give its id.");
  });
  const projects = requireObjects(listed);
  const names = projects.flatMap((project) => getTextAt(project, "name") ?? []);
  const [name, ...more] = names;
  if (name !== undefined && more.length === 0) return name;
  throw new UsageFailure(
    name === undefined ? "This key has no access to a project." : `Name the project: ${names.join(", ")}.`,
    { remedy: "Use --project or BUSBAR_PROJECT, or choose one with `busbar login`." },
  );
}
