// Reports in one sentence that Node is too old. Written in plain JavaScript to run on any version.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `Error: Node 22.13 or newer is required, but this is Node ${process.versions.node}. ` +
      "Run npm ci without --ignore-scripts, which fetches one, or install it from https://nodejs.org.",
  );
  process.exit(1);
}
