// Says in one sentence that Node is too old. Plain JavaScript: it must run on any Node.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `Error: this package needs Node 22.13 or newer, but runs on Node ${process.versions.node}. ` +
      "Run npm ci without --ignore-scripts, which fetches one, or install it from https://nodejs.org.",
  );
  process.exit(1);
}
