/** A refusal of the server, as an exception that carries its Problem. */
import type { IncomingMessage } from "node:http";
import { Failure } from "../failures.ts";
import { isObject, parseJson, getTextAt, type JsonObject } from "./json.ts";

/** `problem` is the body of the answer, empty when that was not a Problem. */
export class Refused extends Failure {
  override name = "Refused";
  readonly status: number;
  readonly problem: JsonObject;

  constructor(status: number, problem: JsonObject, message: string, remedy?: string) {
    super(message, remedy === undefined ? {} : { remedy });
    this.status = status;
    this.problem = problem;
  }
}

/** Returns the refusal for an answer, whether or not its body is a Problem. */
export function toRefused(answer: IncomingMessage, text: string): Refused {
  const status = answer.statusCode ?? 0;
  const problem = parseJson(text);
  // The last is Nango's.
  const detail =
    getTextAt(problem, "detail") ?? getTextAt(problem, "title") ?? getTextAt(problem, "error.message");
  if (isObject(problem) && detail !== undefined) return new Refused(status, problem, detail);
  const where = answer.headers.location ? ` and redirects to ${answer.headers.location}` : "";
  return new Refused(status, {}, `The server answered HTTP ${status} without a reason${where}.`);
}
