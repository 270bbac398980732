/** The customer's installation of one integration: its health, and what can be done with it. */
import type {
  CreateInstallationRequest,
  Installation,
  Integration,
  UpdateInstallationRequest,
} from "@busbar/client";
import { useCallback } from "react";
import { useAnswer, useBusbar } from "./busbar-provider.js";

export interface InstallationState {
  integration?: Integration;
  /** Undefined while the customer has none, or while it is not known. */
  installation?: Installation;
  isLoading: boolean;
  error?: unknown;
  /** Installs with this configuration (`config.content`). The customer must be connected. */
  install: (content: CreateInstallationRequest["config"]["content"]) => Promise<Installation>;
  /** Changes what `updateMask` lists, as `updateInstallation` of the API. */
  update: (change: UpdateInstallationRequest) => Promise<Installation>;
  /** Deletes the installation, and its connection unless another installation uses it. */
  uninstall: () => Promise<void>;
  refresh: () => Promise<void>;
}

/** `integrationName`: id or name of the integration. */
export function useInstallation(integrationName: string): InstallationState {
  const { client, answers, findCustomer } = useBusbar();
  const integration = useAnswer(`integration/${integrationName}`, () =>
    client.getIntegration({ integrationIdOrName: integrationName }),
  );
  const found = useAnswer(`installation/${integrationName}`, async () => {
    const { groupRef } = await findCustomer();
    const [installation] = await client.listInstallations({ integrationId: integrationName, groupRef });
    return { installation };
  });
  const installation = found.value?.installation;
  const refresh = useCallback(async () => {
    await Promise.all([answers.invalidate("installation/"), answers.invalidate("connection/")]);
  }, [answers]);
  const requireId = () => {
    if (!installation) throw new Error(`${integrationName} is not installed for this customer.`);
    return { integrationId: integrationName, installationId: installation.id };
  };
  return {
    ...(integration.value && { integration: integration.value }),
    ...(installation && { installation }),
    isLoading: integration.isLoading || found.isLoading,
    error: integration.error ?? found.error,
    async install(content) {
      const { groupRef } = await findCustomer();
      const createInstallationRequest = { groupRef, config: { content } };
      const made = await client.createInstallation({
        integrationId: integrationName,
        createInstallationRequest,
      });
      await refresh();
      return made;
    },
    async update(updateInstallationRequest) {
      const changed = await client.updateInstallation({ ...requireId(), updateInstallationRequest });
      await refresh();
      return changed;
    },
    async uninstall() {
      await client.deleteInstallation(requireId());
      await refresh();
    },
    refresh,
  };
}
