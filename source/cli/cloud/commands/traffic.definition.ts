// Definitions of deployctl traffic set, promote and abort: arguments, flags, help.
import type { CommandTable } from "../../program/definition.ts";
import { orgFlag, withCommonFlags } from "../flags.ts";

const exitCodes = { 3: "No such app or revision", 5: "No split, or another one" };
const startCodes = { ...exitCodes, 6: "Start or verification failed", 7: "Not ready in time" };
const docs = "docs/deployctl.md";

export const trafficCommands = withCommonFlags({
  setTraffic: {
    name: "traffic set",
    synonyms: ["split", "canary"],
    words: "APP REVISION=PERCENT…",
    completes: "app",
    summary: "Split an app's traffic between two revisions",
    details:
      "One of them is the active revision. A revision without replicas is started and verified first.",
    flags: orgFlag,
    examples: ["traffic set chat r7=90 r8=10", "traffic set chat r7=50 r8=50 --json"],
    exitCodes: startCodes,
    docs,
  },
  promoteTraffic: {
    name: "traffic promote",
    synonyms: ["promote"],
    words: "APP",
    completes: "app",
    summary: "Give all traffic to the new revision of a split",
    flags: orgFlag,
    examples: ["traffic promote chat", "traffic promote chat --json"],
    exitCodes: startCodes,
    docs,
  },
  abortTraffic: {
    name: "traffic abort",
    words: "APP",
    completes: "app",
    summary: "Give all traffic back to the active revision",
    flags: orgFlag,
    examples: ["traffic abort chat", "traffic abort acme/chat"],
    exitCodes,
    docs,
  },
} as const satisfies CommandTable);
