/** Reads the certificate of an address that the operator has set. */
import { connect } from "node:tls";

interface Certificate {
  /** Until when it is valid. */
  validTo: Date;
  issuer: string;
}

const TIMEOUT_MS = 10_000;

/** Returns the certificate. Throws if it is not valid for the host, or if nothing answers. */
export function readCertificate({ hostname, port }: URL): Promise<Certificate> {
  const { promise, resolve, reject } = Promise.withResolvers<Certificate>();
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = connect({ host, port: Number(port || 443), servername: host }, () => {
    const { valid_to: validTo, issuer } = socket.getPeerCertificate();
    const name = issuer.O ?? issuer.CN;
    resolve({ validTo: new Date(validTo), issuer: String(Array.isArray(name) ? name[0] : name) });
  });
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no answer in time")));
  socket.on("error", reject);
  return promise.finally(() => socket.destroy());
}
