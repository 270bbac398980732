/** The steps of the tour, in order. */
import type { Printer } from "./printer.ts";
import type { Demo } from "./start-demo.ts";
import { openGuide } from "./guide.ts";
import type { Remembered, Step } from "./step.ts";
import { approveAgent } from "./steps/approve-agent.ts";
import { connectCustomer } from "./steps/connect-customer.ts";
import { deployManifests } from "./steps/deploy-manifests.ts";
import { installIntegrations } from "./steps/install-integrations.ts";
import { findOperationStep } from "./steps/look-up-operation.ts";
import { proxyCalls } from "./steps/proxy-calls.ts";
import { receiveChanges } from "./steps/receive-changes.ts";
import { receiveEvents } from "./steps/receive-events.ts";
import { receiveRecords } from "./steps/receive-records.ts";
import { routeEvents } from "./steps/route-events.ts";
import { refuseManifest } from "./steps/refuse-manifest.ts";
import { refuseWrite } from "./steps/refuse-write.ts";
import { subscribeToChanges } from "./steps/subscribe-to-changes.ts";
import { upsertFields } from "./steps/upsert-fields.ts";
import { writeBatches } from "./steps/write-batches.ts";
import { writeHubSpot } from "./steps/write-hubspot.ts";
import { writeLater } from "./steps/write-later.ts";
import { writeOnce } from "./steps/write-once.ts";
import { writeSalesforce } from "./steps/write-salesforce.ts";

const STEPS: Step[] = [
  routeEvents,
  deployManifests,
  refuseManifest,
  connectCustomer,
  installIntegrations,
  receiveRecords,
  upsertFields,
  writeHubSpot,
  writeSalesforce,
  writeBatches,
  writeLater,
  writeOnce,
  approveAgent,
  refuseWrite,
  findOperationStep,
  proxyCalls,
  receiveChanges,
  receiveEvents,
  subscribeToChanges,
];

export interface TourResult {
  passed: number;
  failed: number;
  groupRef: string;
  /** Undefined if no write succeeded. */
  operationId?: string;
}

/** Runs all steps; continues after a failed one. */
export async function playTour(demo: Demo, printer: Printer): Promise<TourResult> {
  const remembered = new Map<Remembered, string>();
  const tour = openGuide(demo, printer, remembered);
  const result: TourResult = { passed: 0, failed: 0, groupRef: tour.groupRef };
  for (const [index, step] of STEPS.entries()) {
    printer.title(`${index + 1}. ${step.title}`);
    try {
      await step.run(tour);
      result.passed += 1;
    } catch (error) {
      printer.check(error instanceof Error ? error.message : String(error), false);
      result.failed += 1;
    }
  }
  return { ...result, operationId: remembered.get("operationId") };
}
