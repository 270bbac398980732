/** Fixture of the suites for declarative connectors: a simulation, and the connector that calls it. */
import type { Connector } from "../connector-kit/connector.ts";
import type { ProviderFetch } from "../connector-kit/calls/provider-fetch.ts";
import type { Simulation } from "./start-simulation.ts";

export interface World {
  simulation: Simulation;
  connector: Connector;
  fetch: ProviderFetch;
}
