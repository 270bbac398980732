/** Stops a start on a Node.js that is too old, in one line instead of a syntax error. Plain JavaScript for that reason. */

/** undici needs 22.19; 22.18 is the first version that runs TypeScript. */
const OLDEST = [22, 19];

/** Exits with 1 and says what to do, unless this Node.js is new enough. */
export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  process.stderr.write(
    `busbar: needs Node.js ${OLDEST.join(".")} or later, but this is ${process.versions.node}: install a newer Node.js, ` +
      "or in a checkout run `npm ci` without --omit=dev and --ignore-scripts, which installs one for `npm start`\n",
  );
  process.exit(1);
}
