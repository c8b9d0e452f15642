// Definition of modelctl download: arguments, flags, help.
import { jsonFlag, limitRateFlag } from "../flags.ts";
import type { CommandDefinition } from "../program/definition.ts";

export const downloadDefinition = {
  name: "download",
  synonyms: ["fetch"],
  words: "OWNER/REPO [FILE]",
  summary: "Download a file of a hub repository to a folder",
  flags: {
    localDir: { type: "string", value: "FOLDER", text: "Folder to save in; default this one" },
    revision: { type: "string", value: "REV", text: "Branch, tag or commit of the repository" },
    force: { type: "boolean", text: "Replace a different file of that name" },
    ...limitRateFlag,
    ...jsonFlag,
  },
  examples: [
    "download OWNER/REPO model-Q4_K_M.gguf",
    "download OWNER/REPO:Q4_K_M --local-dir models",
  ],
  exitCodes: {
    3: "File not found",
    4: "Hub refused access",
    5: "A different file exists",
    8: "Hub unreachable",
  },
} as const satisfies CommandDefinition;
