/** Keeps words out of the code that were replaced by the trade's: verbs for functions, one term for each thing. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

/** Names of the language, of JSON Schema and of HTTP that are called or declared here. */
const FOREIGN =
  /^(?:indexOf|lastIndexOf|valueOf|getPrototypeOf|setPrototypeOf|oneOf|anyOf|allOf|multipleOf)$/;
const DECLARED_OR_CALLED =
  /(?<![\w$])(?:function\*? (?<declared>#?\w+Of)\b|(?<value>#?[a-z]\w*Of)\??(?:\(|: \(| = (?:async )?(?:\(|\w+ =>)))/g;

/** Every source and test but those that a script writes, and this one. */
const sources = globSync("{*,*/**/*}.{ts,tsx,mjs}", {
  cwd: ROOT,
  exclude: (name) => /node_modules|^dist$/.test(name),
})
  .filter((file) => !/\.gen\.ts$|^tests\/words\.test\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

test("a function is named by a verb: no name ends in Of", () => {
  const wrong = sources.flatMap(({ file, text }) =>
    [...text.matchAll(DECLARED_OR_CALLED)]
      .map(({ groups }) => groups?.["declared"] ?? groups?.["value"] ?? "")
      .filter((name) => !FOREIGN.test(name))
      .map((name) => `${file}: ${name}`),
  );
  assert.deepEqual(wrong, []);
});

const VERBS = new Set(
  `accept activate add advance advise alter announce anonymize answer append apply ask attempt audit authorize await begin
    bootstrap bring build bundle cache call cancel capture carry change check choose claim classify close collect colour commit
    compare complete compute connect copy count create cure cut decide declare decode dedupe defer define delete deliver deploy
    derive describe deselect digest direct disable discover divide doubt drain draw drop edit enable encode end ensure enter erase
    escape excerpt execute expand expect expire explain export extend extract fail fetch fill filter find fit flag flatten focus
    follow force forget format forward gather generate get give go grant group guard guide handle hash hasten heal hide hold
    identify ignore import insert inspect install intercept introspect invalidate invite isolate issue join judge jump keep kill
    launch leave limit linger link list listen load locate lock log look loop make manage map mark mask match measure merge
    migrate mint misspell mount move name narrow nest normalize note notify number offer omit open order pack page pair parse pass
    patch pause pick place plan play postpone prepare present press preview print probe process prompt propose prove publish purge push put
    query queue quote rank read readdress rebalance receive reconcile reconnect record recover redact redirect reduce refer refresh
    refuse register rehearse reject release reload remember remove rename renew render reopen repair repeat rephrase replace replay
    replicate report request require reschedule resend reserve reset resolve respond restart restore resume rethrow retry reveal
    revise revoke rewrite rotate round route run sample save say scan schedule scrape seal search secure seed select send separate serve
    set settle shape share shorten show shrink sign simulate skip sleep sort spawn split spread start stop store stream submit
    subscribe subtract succeed suggest sum summarize suspend sweep switch sync take tell test touch trace track transact transform
    translate trigger truncate try uncount undo unframe uninstall unlink unmark unpack unpair unpause unseal unwrap update upgrade
    upload upsert validate verify wait wake warn watch withhold wrap write yield`.split(/\s+/),
);
/** Questions, converters, comparators, hooks, and functions that surround others or give a copy without something. */
const OTHER_BEGINNINGS =
  /^(?:is|are|has|can|may|must|needs|never|to|as|by|with|without|on|until|use|new|now|accepts|allows|changes|concerns|contains|covers|ends|excludes|fits|follows|includes|inherits|lacks|leads|leaves|matches|prefers|removes|reports|sees|sends|supports|takes|uses|wants)$/;
/** Words of the languages in which providers, schemas, settings, columns and endpoints are declared, and ids of operations. */
const DECLARING = new Set(
  `assertion basic batchUpsertIntegrations batchWrite bearerKey bodyMembers boolean bulkWrite clockAheadMs closed credentialColumns
    custom customAuthConnect described dryRun dryRunRead elapsedMs endpoint headerKey id integer keyAsBasic members networks oauth2
    oauthCallback optional origin polledEvent positive projectEndpoint prose seconds setting status text textOr texts time
    target`.split(/\s+/),
);
const EXPORTED =
  /^export (?:async )?(?:function\*? (?<declared>[a-z]\w*)|const (?<value>[a-z]\w*)(?:: [^=;\n]+)? =\s+(?:async )?(?:<[^(]*>)?(?:\((?!\w+\s[?&|=])|\w+ =>))/gm;
const NO_RULE = /\.test\.ts$|fixture|^(?:tests|bench|simulations|clients|examples)\//;

test("an exported function is named by what it does: a verb, a question or a conversion", () => {
  const wrong = sources
    .filter(({ file }) => !NO_RULE.test(file))
    .flatMap(({ file, text }) =>
      [...text.matchAll(EXPORTED)]
        .map(({ groups }) => groups?.["declared"] ?? groups?.["value"] ?? "")
        .filter((name) => {
          const [first = ""] = /^[a-z]+/.exec(name) ?? [];
          return !VERBS.has(first) && !OTHER_BEGINNINGS.test(first) && !DECLARING.has(name);
        })
        .map((name) => `${file}: ${name}`),
    );
  assert.deepEqual(wrong, [], "begin the name with a verb; a new one is added to VERBS");
});

/** Words that left, each with what the code says instead. */
const REPLACED: Record<string, string> = { walk: "scan", wish: "filter" };
/** The column `walk` keeps its name: processes of the version before read it during an upgrade. */
const KEEPS_COLUMN = /^server\/store\/subscriptions\//;

test("words that were replaced by the trade's do not come back", () => {
  const wrong = sources.flatMap(({ file, text }) =>
    Object.entries(REPLACED)
      .filter(
        ([word]) => new RegExp(`\\b${word}(?:s|ed|ing)?\\b`, "i").test(text) && !KEEPS_COLUMN.test(file),
      )
      .map(([word, instead]) => `${file}: ${word}, say ${instead}`),
  );
  assert.deepEqual(wrong, []);
});

/** Words that begin a phrase of the sentence before, or of the declaration's name, and no sentence of their own. */
const NO_BEGINNING =
  /\/\*\*\s*(?:\n\s*\* )?(?<comment>(?:Of|As|Also|And|Or|But|To|By|From|Most|So|Under|Whose|Between)\b[^\n]*)/g;

test("a comment of a declaration is a sentence of its own: it begins with no Of, As, And, But, To, By, From and the like", () => {
  const wrong = sources.flatMap(({ file, text }) =>
    [...text.matchAll(NO_BEGINNING)].map(({ groups }) => `${file}: ${groups?.["comment"] ?? ""}`),
  );
  assert.deepEqual(wrong, []);
});
