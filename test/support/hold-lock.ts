// A process that takes a lock, says so by making a file, and holds it until it is killed.
import { writeFileSync } from "node:fs";
import { LockFolder } from "../../source/store/library/lock-folder.ts";

const [folder = "", name = "", isShared, mark = ""] = process.argv.slice(2);
const forever = setInterval(() => {}, 60_000);
await new LockFolder(folder).withLock(
  name,
  async () => {
    writeFileSync(mark, "");
    await new Promise(() => {});
  },
  { isShared: isShared === "true" },
);
clearInterval(forever);
