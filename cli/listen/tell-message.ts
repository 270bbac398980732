/** Prints a verified message: readable, or with `--json` as one line of JSON. */
import { parseJson, textAt, valueAt } from "../http/json.ts";
import type { Output } from "../output/output.ts";
import { printable, printableLines } from "../output/printable.ts";
import type { Message } from "./receiver.ts";

export function tellMessage({ headers, body }: Message, out: Output): void {
  const content = parseJson(body.toString());
  const [id, timestamp] = [String(headers["webhook-id"]), Number(headers["webhook-timestamp"])];
  if (out.json) return out.item({ id, timestamp, body: content ?? null });
  const { paint } = out;
  // A data message has no envelope.
  const event = textAt(content, "notificationType");
  const type = event ?? textAt(content, "action") ?? "";
  const time = new Date(timestamp * 1_000).toISOString().replace(".000Z", "Z");
  out.line(
    `${paint.dim(time)}  ${paint.bold(printable(type))}  ${paint.green("verified")}  ${paint.dim(printable(id))}`,
  );
  const data = JSON.stringify((event === undefined ? content : valueAt(content, "data")) ?? null, null, 2);
  out.line(printableLines(data).replaceAll(/^/gm, "    "));
}
