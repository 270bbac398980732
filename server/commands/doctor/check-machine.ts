/** Checks this machine: Node, the data folder and its disk, the listeners' ports, the dashboard. */
import { access, constants, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { reportBad, reportGood, type Finding } from "../../../cli/doctor/finding.ts";
import { findDashboard } from "../../dashboard/built-dashboard.ts";
import { openOperatorEgress } from "../../egress/operator-egress.ts";
import type { Config } from "../../../ground/config.ts";
import { StartError } from "../../../ground/errors.ts";
import { toReachableHost } from "../../../ground/to-reachable-host.ts";
import { listListeners, requireFreePort } from "../../require-free-ports.ts";

const LEAST_FREE_BYTES = 1e9;

export async function checkMachine(config: Config): Promise<Finding[]> {
  return [
    reportGood("node", process.version),
    await checkFolder(config.dataDir),
    await checkDisk(config.dataDir),
    ...(await checkPorts(config)),
    await checkDashboard(config),
  ];
}

async function checkFolder(dataDir: string): Promise<Finding> {
  const check = "data folder";
  const found = await stat(dataDir).catch(() => undefined);
  if (!found) return checkParent(dataDir);
  if (!found.isDirectory())
    return reportBad(check, `${dataDir} is no folder`, "Set BUSBAR_DATA_DIR to a folder.");
  if (!(await isWritable(dataDir)))
    return reportBad(check, `${dataDir} is not writable`, "Give it to the user that runs Busbar.");
  const isOpen = process.platform !== "win32" && (found.mode & 0o077) !== 0;
  if (isOpen) return reportBad(check, `other users may read ${dataDir}`, `Run: chmod 700 ${dataDir}`);
  return reportGood(check, dataDir);
}

async function checkParent(dataDir: string): Promise<Finding> {
  const check = "data folder";
  const parent = await findExisting(dataDir);
  if ((await stat(parent)).isDirectory() && (await isWritable(parent)))
    return reportGood(check, `${dataDir} is created by the next start`);
  const cure = "Create it for the user that runs Busbar, or set BUSBAR_DATA_DIR.";
  return reportBad(check, `${dataDir} cannot be created in ${parent}`, cure);
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  );

/** Returns the folder itself, or what exists of the path to it. */
async function findExisting(folder: string): Promise<string> {
  const isThere = await stat(folder).then(
    () => true,
    () => false,
  );
  return isThere || dirname(folder) === folder ? folder : findExisting(dirname(folder));
}

async function checkDisk(dataDir: string): Promise<Finding> {
  const folder = await findExisting(dataDir);
  const { bavail, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const detail = `${(freeBytes / 1e9).toFixed(1)} GB free for the data folder`;
  if (freeBytes >= LEAST_FREE_BYTES) return reportGood("disk", detail);
  return reportBad(
    "disk",
    detail,
    "Make room: an embedded database stops taking writes when the disk is full.",
  );
}

/** A port is in order if it is free, or if a Busbar answers there. */
async function checkPorts(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const listener of listListeners(config)) {
    const { variable, port, path } = listener;
    const fault = await requireFreePort(config, listener).catch((error: unknown) => error);
    if (fault === undefined) findings.push(reportGood(`port ${port}`, "free"));
    else if (!(fault instanceof StartError)) throw fault;
    else if (await isBusbar(config, port, path))
      findings.push(reportGood(`port ${port}`, "a Busbar serves it"));
    else findings.push(reportBad(`port ${port}`, fault.message, `Free the port, or set ${variable}.`));
  }
  return findings;
}

async function isBusbar({ host }: Config, port: number, path: string): Promise<boolean> {
  const egress = openOperatorEgress();
  try {
    const url = new URL(`http://${toReachableHost(host)}:${port}${path}`);
    const { headers, body } = await egress.send({ url, method: "GET", totalTimeoutMs: 5_000 });
    return headers["x-amp-error"] !== undefined || body.toString("utf8").includes('"status":"ok"');
  } catch {
    return false;
  } finally {
    await egress.close();
  }
}

async function checkDashboard({ dashboard, dataDir, roles }: Config): Promise<Finding> {
  const check = "dashboard";
  if (!dashboard || !roles.has("api")) return reportGood(check, "not served by this process");
  const found = await findDashboard(dataDir);
  if (found === "built") return reportGood(check, "built");
  if (found === "buildable") return reportGood(check, "is built by the next start");
  return reportBad(check, "is not built, and its packages are not installed", "Run npm ci && npm run build.");
}
