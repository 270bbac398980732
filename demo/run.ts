/** `npm run demo`: a tour from an empty database to written records, which prints each request and answer. */
import { parseArgs } from "node:util";
import { StartError } from "../ground/errors.ts";
import { readDemoSettings } from "./demo-settings.ts";
import { createPrinter, type Printer } from "./printer.ts";
import { type Demo, startDemo } from "./start-demo.ts";
import { playTour, type TourResult } from "./tour.ts";

const HELP = `npm run demo [-- --exit]

  --exit   end after the tour; the exit code is 1 if a step failed

Data is kept in .busbar-demo (or BUSBAR_DATA_DIR); delete the folder to start over.
BUSBAR_PORT and BUSBAR_PROXY_PORT set the ports.
`;

async function run(): Promise<void> {
  const { exit, help } = parseFlags();
  if (help) return void process.stdout.write(HELP);
  const printer = createPrinter(process.stdout);
  const settings = await readDemoSettings();
  printer.plain("Starting the sandbox CRMs, an embedded PostgreSQL and Busbar …");
  for (const note of settings.notes) printer.plain(note);
  let demo: Demo | undefined;
  const stop = stopOnce(() => demo?.stop());
  process.on("SIGINT", () => void stop("Stopping …", exit ? 130 : 0));
  process.on("SIGTERM", () => void stop("Stopping …", exit ? 143 : 0));
  demo = await startDemo(settings, (reason) => void stop(`The demo cannot continue: ${reason}`, 1));
  const tour = await playTour(demo, printer);
  printer.title("The tour");
  printer.check(`${tour.passed} passed, ${tour.failed} failed`, tour.failed === 0);
  if (exit) return void (await stop("Stopping everything.", tour.failed > 0 ? 1 : 0));
  printFarewell(demo, tour, settings.dataDir, printer);
  printer.plain("Busbar keeps running until you press Ctrl-C.");
}

function parseFlags(): { exit: boolean; help: boolean } {
  try {
    const options = { exit: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
    const { values } = parseArgs({ options });
    return { exit: values.exit === true, help: values.help === true };
  } catch (cause) {
    throw new StartError(`${cause instanceof Error ? cause.message : String(cause)}\n\n${HELP}`, { cause });
  }
}

/** Stops once: Ctrl-C arrives twice, from the terminal and from npm. */
function stopOnce(stopAll: () => Promise<void> | undefined): (why: string, code: number) => Promise<void> {
  let stopping: Promise<void> | undefined;
  return (why, code) => {
    stopping ??= (async () => {
      process.stdout.write(`${why}\n`);
      await stopAll();
      process.exit(code);
    })();
    return stopping;
  };
}

try {
  await run();
} catch (error) {
  process.stderr.write(
    error instanceof StartError ? `busbar demo: ${error.message}\n` : `${(error as Error).stack}\n`,
  );
  process.exit(1);
}

/** Prints the end of the tour: addresses, the key, and three commands to try. */
function printFarewell(demo: Demo, tour: TourResult, dataDir: string, printer: Printer): void {
  const { urls, bootstrap, sandboxUrl, receiver, logPath } = demo;
  const { apiKey, projectId } = bootstrap;
  const origin = new URL(urls.base).origin;
  printer.title("Addresses");
  printer.plain(`    Dashboard        ${urls.dashboard}   (sign in with the API key)`);
  printer.plain(`    API and writes   ${urls.base}   ${urls.write}`);
  printer.plain(`    Proxy            ${urls.proxy}`);
  printer.plain(`    API reference    ${origin}/docs`);
  printer.plain(`    Sandbox CRMs     ${sandboxUrl}/hubspot   ${sandboxUrl}/salesforce`);
  printer.plain(`    Webhooks go to   ${receiver.url}`);
  printer.plain(`    API key          ${apiKey}   (header X-Api-Key)`);
  printer.plain(`    Data and log     ${dataDir}   ${logPath}`);
  printer.title("Three commands to try");
  printer.plain(`
curl -s ${urls.write}/projects/default/integrations/accounts-hubspot/objects/companies -H 'X-Api-Key: ${apiKey}' \\
  -H 'Content-Type: application/json' -d '{"groupRef":"${tour.groupRef}","type":"create","record":{"name":"My first company"}}'

curl -s ${urls.base}/projects/default/operations/${tour.operationId ?? "ID"}/logs -H 'X-Api-Key: ${apiKey}'

curl -s '${urls.proxy}/services/data/v60.0/query?q=SELECT+Id,Name+FROM+Account' -H 'X-Api-Key: ${apiKey}' \\
  -H 'X-Amp-Proxy-Version: 1' -H 'X-Amp-Project-Id: ${projectId}' \\
  -H 'X-Amp-Integration-Name: people-salesforce' -H 'X-Amp-Group-Ref: ${tour.groupRef}'
`);
}
