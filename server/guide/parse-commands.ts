/** Reads the guide's blocks of commands: the requests that they send with `curl`, and what they keep of the answers. */

/**
 * One request or assignment. In texts, a variable of the shell stands between `OPEN` and `CLOSE`. `path` is what is taken out of an answer,
 * for example `[0].id`.
 */
export type Statement =
  | { kind: "blank" }
  | { kind: "comment"; text: string }
  | { kind: "request"; request: SentRequest; name?: string; path: string; comment?: string }
  | { kind: "pick"; name: string; from: string; path: string };

export interface SentRequest {
  method: string;
  url: string;
  headers: [name: string, value: string][];
  body?: string;
}

/** Around the name of a variable; characters that no text of the guide has. */
export const OPEN = "\uE000";
export const CLOSE = "\uE001";

interface Word {
  text: string;
  /** The command of a word that is `$(…)`, or of an assignment of one. */
  command?: string;
}
/** The words of a pipeline, by command, and the comment behind it. */
interface Line {
  commands: Word[][];
  comment?: string;
}

const LEXEME =
  /\\\n|[ \t]+|(?<newline>\n)|(?<comment>#[^\n]*)|'(?<single>[^']*)'|"(?<double>(?:\\.|[^"\\])*)"|(?<command>\$\()|\$(?<name>\w+)|(?<pipe>\|)|\\(?<escaped>.)|(?<plain>[^\s'"$|&;<>\\()`]+)/gy;
const PICKED = /^JSON\.parse\(fs\.readFileSync\(0\)\)((?:\.\w+|\[\d+\])*)$/;
/** What the pages' first block takes from the first start; the clients take it from the environment. */
const SETTINGS = new Set(["API", "KEY", "PROJECT"]);

/** Returns the statements of a block, or undefined if it does anything else than send requests and keep parts of their answers. */
export function parseCommands(block: string): Statement[] | undefined {
  const lines = readLines(block.trimEnd());
  if (!lines) return undefined;
  const aliases = new Map<string, string>();
  const statements: Statement[] = [];
  for (const line of lines) {
    const statement = readStatement(line, aliases);
    if (statement === undefined) return undefined;
    if (statement !== "none") statements.push(statement);
  }
  return statements;
}

function readLines(text: string): Line[] | undefined {
  const lines: Line[] = [];
  let line: Line = { commands: [[]] };
  let isWordOpen = false;
  const add = (part: string, command?: string): void => {
    const words = line.commands.at(-1);
    const last = words?.at(-1);
    if (isWordOpen && last) last.text += part;
    else words?.push({ text: part });
    const word = words?.at(-1);
    if (word && command !== undefined) word.command = command;
    isWordOpen = true;
  };
  const lexeme = new RegExp(LEXEME);
  while (lexeme.lastIndex < text.length) {
    const found = lexeme.exec(text)?.groups;
    if (!found) return undefined;
    if (found["newline"] !== undefined) {
      lines.push(line);
      line = { commands: [[]] };
      isWordOpen = false;
    } else if (found["comment"] !== undefined && !isWordOpen) line.comment = found["comment"].slice(1).trim();
    else if (found["comment"] !== undefined) return undefined;
    else if (found["single"] !== undefined) add(found["single"]);
    else if (found["double"] !== undefined) {
      if (found["double"].includes("$(")) return undefined;
      add(
        found["double"].replaceAll(/\\(.)|\$(\w+)/g, (_, character?: string, name?: string) =>
          name ? OPEN + name + CLOSE : (character ?? ""),
        ),
      );
    } else if (found["command"] !== undefined) {
      const end = endOfCommand(text, lexeme.lastIndex);
      if (end === undefined) return undefined;
      add("", text.slice(lexeme.lastIndex, end));
      lexeme.lastIndex = end + 1;
    } else if (found["name"] !== undefined) add(OPEN + found["name"] + CLOSE);
    else if (found["pipe"] !== undefined) {
      line.commands.push([]);
      isWordOpen = false;
    } else if (found["escaped"] !== undefined) add(found["escaped"]);
    else if (found["plain"] !== undefined) add(found["plain"]);
    else isWordOpen = false;
  }
  return [...lines, line];
}

/** Returns where the bracket closes that was opened before `start`, past brackets in quotes. */
function endOfCommand(text: string, start: number): number | undefined {
  const ends = /'[^']*'|"(?:\\.|[^"\\])*"|([()])/g;
  ends.lastIndex = start;
  let depth = 1;
  for (let found = ends.exec(text); found; found = ends.exec(text)) {
    if (found[1] === "(") depth += 1;
    else if (found[1] === ")") depth -= 1;
    if (depth === 0) return found.index;
  }
  return undefined;
}

/** Returns undefined for what cannot be said in another language, `none` for what needs not be. */
function readStatement(line: Line, aliases: Map<string, string>): Statement | "none" | undefined {
  const [words = [], ...others] = line.commands;
  const { comment } = line;
  if (words.length === 0)
    return comment === undefined ? { kind: "blank" } : { kind: "comment", text: comment };
  if (words[0]?.text === "curl") return readRequest(line.commands, aliases, comment);
  const [first, second] = words[0]?.text === "export" ? words.slice(1) : words;
  const [, name, value = ""] = /^(\w+)=(.*)$/s.exec(first?.text ?? "") ?? [];
  if (name === undefined || others.length > 0) return undefined;
  if (SETTINGS.has(name) || name.startsWith("BUSBAR_")) return "none";
  if (second) return undefined;
  if (first?.command === undefined) {
    aliases.set(name, expand(value, aliases));
    return "none";
  }
  const [inner, ...more] = readLines(first.command) ?? [];
  if (!inner || more.length > 0) return undefined;
  const [command, picker] = inner.commands;
  if (command?.[0]?.text === "echo" && command.length === 2) {
    const from = new RegExp(`^${OPEN}(\\w+)${CLOSE}$`).exec(command[1]?.text ?? "")?.[1];
    const path = picker && readPicker(picker);
    return from === undefined || path === undefined ? undefined : { kind: "pick", name, from, path };
  }
  const request = readRequest(inner.commands, aliases, comment);
  return request && { ...request, name };
}

function readRequest(
  [curl = [], picker, ...others]: Word[][],
  aliases: Map<string, string>,
  comment: string | undefined,
): (Statement & { kind: "request" }) | undefined {
  const path = picker ? readPicker(picker) : "";
  if (path === undefined || others.length > 0 || curl[0]?.text !== "curl") return undefined;
  const request: SentRequest = { method: "", url: "", headers: [] };
  for (let index = 1; index < curl.length; index += 1) {
    const text = expand(curl[index]?.text ?? "", aliases);
    const next = (): string => expand(curl[(index += 1)]?.text ?? "", aliases);
    if (text === "-X") request.method = next();
    else if (text === "-d") request.body = next();
    else if (text === "-H") {
      const [name = "", value = ""] = next().split(/: */, 2);
      request.headers.push([name, value]);
    } else if (text.startsWith("-") ? text !== "-s" : request.url !== "") return undefined;
    else if (text !== "-s") request.url = text;
  }
  if (request.body?.startsWith("@")) return undefined;
  request.method ||= request.body === undefined ? "GET" : "POST";
  return { kind: "request", request, path, ...(comment !== undefined && { comment }) };
}

const expand = (text: string, aliases: Map<string, string>): string =>
  text.replaceAll(
    new RegExp(`${OPEN}(\\w+)${CLOSE}`, "g"),
    (whole, name: string) => aliases.get(name) ?? whole,
  );

/** Returns the path of `node -p 'JSON.parse(fs.readFileSync(0)).a[0]'`. */
function readPicker(words: Word[]): string | undefined {
  const [node, option, program, ...others] = words.map(({ text }) => text);
  if (node !== "node" || option !== "-p" || others.length > 0) return undefined;
  return PICKED.exec(program ?? "")?.[1];
}
