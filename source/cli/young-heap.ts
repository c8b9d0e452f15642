// Imported early: a server runs for days, and what it does for a request is soon forgotten. With Node's
// usual growth of the heap's young part, 16 MiB and more are kept for that; it stays at 2 MiB here.
import { setFlagsFromString } from "node:v8";

if (process.argv[2] === "serve") setFlagsFromString("--semi-space-growth-factor=1");
