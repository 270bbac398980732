/** Hands a verified message on to the builder's own application. */
import { send } from "../http/send.ts";
import type { Output } from "../output/output.ts";
import type { Message } from "./receiver.ts";

/** As it came, with the headers that vouch for it. The status goes back to the server, which tries again if it is bad. */
export async function forwardMessage({ headers, body }: Message, to: URL, out: Output): Promise<number> {
  const passed = Object.entries(headers).filter(([name]) =>
    /^(content-type|user-agent|webhook-.*|svix-.*)$/.test(name),
  );
  try {
    const answer = await send({
      method: "POST",
      url: to,
      headers: { ...Object.fromEntries(passed), "content-length": body.length },
      body,
    });
    answer.resume();
    const status = answer.statusCode ?? 502;
    out.note(`forwarded: ${status}`);
    return status;
  } catch (error) {
    out.note(`not forwarded: ${error instanceof Error ? error.message : String(error)}`);
    return 502;
  }
}
