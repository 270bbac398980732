/** Reads credentials from a file, stdin or a prompt, never from arguments, which other users can see. */
import { UsageFailure } from "../failures.ts";
import { isObject, parseJson, type Json, type JsonObject } from "../http/json.ts";
import { escapeUnsafe } from "../output/printable.ts";
import { ask, askHidden, canAsk } from "../prompt.ts";
import { readArgument } from "../read-argument.ts";
import type { Terminal } from "../terminal.ts";
import type { Input } from "./provider-needs.ts";

/** Returns a string for a single input, an object for a list. */
export async function readCredentials(
  inputs: Input | Input[],
  source: string | undefined,
  terminal: Terminal,
): Promise<Json> {
  if (source !== undefined) return readSource(inputs, source, terminal);
  if (!canAsk(terminal)) {
    throw new UsageFailure(`There is no terminal to ask for ${joinNames(inputs)}.`, {
      remedy: `Give --credentials @file, or - for stdin: ${describeForm(inputs)}.`,
    });
  }
  if (!Array.isArray(inputs)) return askFor(inputs, terminal);
  const given: JsonObject = {};
  for (const input of inputs) given[input.name] = await askFor(input, terminal);
  return given;
}

async function readSource(inputs: Input | Input[], source: string, terminal: Terminal): Promise<Json> {
  if (!/^[@-]/.test(source)) throw new UsageFailure("--credentials takes @file, or - for stdin.");
  const text = (await readArgument(source, terminal)).toString().trim();
  if (!Array.isArray(inputs)) return text;
  const value = parseJson(text);
  if (isObject(value) && inputs.every(({ name }) => Object.hasOwn(value, name))) return value;
  throw new UsageFailure(`--credentials must give ${describeForm(inputs)}.`);
}

/** Asks for one input; an empty string means no answer. */
export async function askFor({ label, secret, otherwise }: Input, terminal: Terminal): Promise<string> {
  const question = escapeUnsafe(label);
  return secret ? askHidden(terminal, `${question} (not shown)`) : ask(terminal, question, otherwise);
}

const joinNames = (inputs: Input | Input[]): string =>
  [inputs]
    .flat()
    .map(({ name }) => name)
    .join(", ");

const describeForm = (inputs: Input | Input[]): string =>
  Array.isArray(inputs) ? `a JSON object with ${joinNames(inputs)}` : "the key and nothing else";
