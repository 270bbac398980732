/** Forwards a verified message to the builder's application. */
import { send } from "../http/send.ts";
import type { Output } from "../output/output.ts";
import type { Message } from "./receiver.ts";

/** Sends body and signature headers unchanged. Returns the status; the server retries the delivery if it is an error. */
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
