/** The sandbox CRMs in a process of their own, without limits; prints its address and a token. */
import { startSandbox } from "../../sandbox/sandbox.ts";

const sandbox = await startSandbox({ limits: "off" });
const { accessToken } = sandbox.hubspot.mintToken({ expiresInSeconds: 86_400 });
console.log(JSON.stringify({ url: sandbox.url, token: accessToken }));
