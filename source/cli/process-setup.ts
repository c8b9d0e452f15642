// Imported early: colours, heap and compile cache of the process.
import module from "node:module";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { productPaths } from "../configuration/paths.ts";

// chalk reads FORCE_COLOR but not NO_COLOR (https://no-color.org).
if (process.env.NO_COLOR) process.env.FORCE_COLOR = "0";

// Keeps the heap's young generation at 2 MiB. A server's objects are short-lived, and with Node's
// defaults it would keep 16 MiB and more for them.
if (process.argv[2] === "serve") setFlagsFromString("--semi-space-growth-factor=1");

// Caches compiled code, which makes the next start a fifth faster. Node names the files by its own
// version, checks them against the sources, and continues without a cache if it cannot write.
module.enableCompileCache(path.join(productPaths().cache, "compiled"));
