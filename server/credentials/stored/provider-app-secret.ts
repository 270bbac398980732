/** Encrypts the client secret of a provider app, bound to its row. */
import type { Sealer } from "../../../ground/seal.ts";

interface App {
  id: string;
  projectId: string;
}

const toSealedPlace = ({ id, projectId }: App) => ({
  table: "provider_apps",
  column: "client_secret_sealed",
  rowId: id,
  projectId,
});

export const sealProviderAppSecret = (sealer: Sealer, app: App, secret: string): string =>
  sealer.seal(secret, toSealedPlace(app));

export const openProviderAppSecret = (sealer: Sealer, app: App & { clientSecretSealed: string }): string =>
  sealer.open(app.clientSecretSealed, toSealedPlace(app));
