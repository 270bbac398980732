/** Encrypts the client secret of a provider app, bound to its row. */
import { placeIn, type Sealer } from "../../../ground/seal.ts";

interface App {
  id: string;
  projectId: string;
}

const toSealedPlace = placeIn("provider_apps", "client_secret_sealed");

export const sealProviderAppSecret = (sealer: Sealer, app: App, secret: string): string =>
  sealer.seal(secret, toSealedPlace(app));

export const openProviderAppSecret = (sealer: Sealer, app: App & { clientSecretSealed: string }): string =>
  sealer.open(app.clientSecretSealed, toSealedPlace(app));
