/** Prints the end of the tour: addresses, the key, and three commands to try. */
import type { Printer } from "./printer.ts";
import type { Demo } from "./start-demo.ts";
import type { TourResult } from "./tour.ts";

export function printFarewell(demo: Demo, tour: TourResult, dataDir: string, printer: Printer): void {
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
