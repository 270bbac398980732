/** Describes each event in a sentence for people in a channel. */
import { isJsonObject, type Json } from "../../ground/json.ts";

type Names = (member: string) => string;

const SENTENCES: Record<string, (name: Names) => string> = {
  "installation.created": (name) =>
    `:tada: ${name("groupName")} installed ${name("integrationName")} (${name("provider")})`,
  "installation.updated": (name) =>
    `:pencil2: ${name("groupName")} changed the settings of ${name("integrationName")} (${name("provider")})`,
  "installation.deleted": (name) =>
    `:wave: ${name("groupName")} uninstalled ${name("integrationName")} (${name("provider")})`,
  "read.backfill.done": (name) =>
    `:white_check_mark: The backfill of ${name("objectName")} of ${name("groupName")} is complete`,
  "read.schedule.paused": (name) =>
    `:pause_button: Scheduled reads of ${name("groupName")} in ${name("integrationName")} are paused: ${name("error")}`,
  "read.triggered.done": (name) =>
    `:white_check_mark: The triggered read of ${name("objectName")} of ${name("groupName")} is complete`,
  "read.triggered.error": (name) =>
    `:x: The triggered read of ${name("objectName")} of ${name("groupName")} failed: ${name("error")}`,
  "write.async.done": (name) =>
    name("success") === "true"
      ? `:white_check_mark: A write of ${name("objectName")} for ${name("groupName")} is complete`
      : `:x: A write of ${name("objectName")} for ${name("groupName")} failed at least in part`,
  "subscribe.create.error": (name) =>
    `:x: ${name("integrationName")} could not subscribe for ${name("groupName")}: ${name("error")}`,
  "connection.created": (name) => `:link: ${name("consumerName")} connected ${name("provider")}`,
  "connection.refreshed": (name) =>
    `:arrows_counterclockwise: The access of ${name("consumerName")} to ${name("provider")} was refreshed`,
  "connection.updated": (name) =>
    `:pencil2: The connection of ${name("consumerName")} to ${name("provider")} was updated`,
  "connection.deleted": (name) =>
    `:wastebasket: The connection of ${name("consumerName")} to ${name("provider")} was deleted`,
  "connection.error": (name) =>
    `:x: The connection of ${name("consumerName")} to ${name("provider")} has trouble`,
  "destination.webhook.disabled": (name) =>
    `:no_entry: The webhook ${name("destinationName")} (${name("url")}) is disabled`,
};

/** Returns the sentence for an event with this JSON text as data; the type's name if it has no sentence. */
export function sentenceFor(topic: string, data: string): string {
  const members: Json = JSON.parse(data);
  const name: Names = (member) => {
    const value = isJsonObject(members) ? members[member] : undefined;
    return value === undefined || value === null ? "?" : String(value);
  };
  return SENTENCES[topic]?.(name) ?? topic;
}
