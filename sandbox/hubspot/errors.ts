// Bodies of HubSpot's errors.

import { randomUUID } from "node:crypto";
import { Refused, type SandboxAnswer, type Data } from "../exchange.ts";

export type ValueProblem = { name: string; message: string; error: string };

/** Builds the general form: status, message, correlationId and the members of the case. */
export function buildErrorAnswer(status: number, message: string, members: Data = {}): SandboxAnswer {
  return { status, body: { status: "error", message, correlationId: randomUUID(), ...members } };
}

export function refuse(status: number, message: string, members: Data = {}): Refused {
  return new Refused(buildErrorAnswer(status, message, members));
}

export function refuseInvalid(message: string, members: Data = {}): Refused {
  return refuse(400, message, { ...members, category: "VALIDATION_ERROR" });
}

/** Refuses a body that lacks members which HubSpot's description of the dated endpoints requires. */
export function requireMembers(schema: string, body: Data, members: string[]): void {
  const missing = members.filter((name) => body[name] === undefined);
  if (missing.length === 0) return;
  const list = missing.join(", ");
  throw refuseInvalid(
    `Invalid input JSON on line 1, column 1: Cannot build ${schema}, required attributes are not set [${list}]`,
  );
}

export function refuseNotFound(message = "resource not found"): Refused {
  return refuse(404, message, { category: "OBJECT_NOT_FOUND" });
}

/** Builds message and errors. The problems are included twice: all as JSON text in the message, at most three as objects in `errors`. */
export function buildProblemMembers(problems: ValueProblem[]): { message: string; errors: Data[] } {
  const texts = problems.map(({ message, error, name }) => ({ isValid: false, message, error, name }));
  const errors = problems.slice(0, 3).map(({ message, error, name }) => ({
    message,
    code: error,
    context: { propertyName: [name] },
  }));
  return { message: `Property values were not valid: ${JSON.stringify(texts)}`, errors };
}

export function refuseValues(problems: ValueProblem[]): Refused {
  const { message, errors } = buildProblemMembers(problems);
  return refuseInvalid(message, { errors });
}
