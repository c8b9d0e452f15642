// Imported early: caches the compiled code for the next start, which then takes a fifth less time.
// Node names the files after its own version and checks them against the sources.
import module from "node:module";
import path from "node:path";
import { productPaths } from "../configuration/paths.ts";

// Node goes without a cache when the folder cannot be written.
module.enableCompileCache(path.join(productPaths().cache, "compiled"));
