// Imported first: reports that Node is too old before a library fails.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `Error: Node 22.13 or newer is required, but this is Node ${process.versions.node}. ` +
      "Install a newer Node from https://nodejs.org.\n",
  );
  process.exit(1);
}
