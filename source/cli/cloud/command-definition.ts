// A command of deployctl.
import type { CommandDefinitionOf } from "../program.ts";
import type { flagTable } from "./flags.ts";

export type CommandDefinition = CommandDefinitionOf<typeof flagTable>;
