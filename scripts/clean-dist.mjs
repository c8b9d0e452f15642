// Removes what an earlier build left: a deleted source file must not live on in dist/.
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
