// Empties dist/, so that it contains no files of deleted sources.
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
