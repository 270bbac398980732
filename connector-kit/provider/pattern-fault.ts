/** Checks regular expressions of builders: some take for ever on a short text, and would stop the whole process. */

const LONGEST = 200;
/**
 * Each of these multiplies the time by the length of the text, which is 1,000 characters at most. A search for the beginning of
 * the match does so as well.
 */
const MAX_VARIABLE = 2;

/** Returns why a regular expression is refused; undefined if its time is limited. */
export function findPatternFault(pattern: string, isAnchored = pattern.startsWith("^")): string | undefined {
  if (!isPattern(pattern)) return "is not a regular expression";
  if (pattern.length > LONGEST) return `is longer than ${LONGEST} characters`;
  const bare = pattern
    .replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]/g, "x")
    .replaceAll(/\(\?(?::|<?[=!]|<\w+>)/g, "(");
  if (bare.includes("|")) return "must not contain |, because it can take too long";
  if (/\)[?*+{]/.test(bare)) return "must not repeat a group, because it can take too long";
  const variable = bare.match(/(?:[?*+]|\{\d+,\d*\})\??/g) ?? [];
  const most = isAnchored ? MAX_VARIABLE : MAX_VARIABLE - 1;
  if (variable.length <= most) return undefined;
  const remedy = isAnchored ? "" : ", or begin with ^ and have one more";
  return `must have at most ${most} of *, +, ? and {n,m}${remedy}, because more can take too long`;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}
