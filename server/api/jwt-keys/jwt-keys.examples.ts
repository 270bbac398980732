/** Calls the operations of JWT keys. */
import { generateKeyPairSync } from "node:crypto";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }).toString();
    const { kid } = await call("createJWTKey", { body: { label: "web", algorithm: "RS256", publicKeyPem } });
    await call("listJWTKeys");
    await call("getJWTKey", { path: { keyId: kid } });
    const off = { updateMask: ["active"], jwtKey: { active: false } };
    await call("updateJWTKey", { path: { keyId: kid }, body: off });
    await call("deleteJWTKey", { path: { keyId: kid } });
  },
};
