// deployctl inspect: shows what a script requests, without deploying it.
import { inspectReference } from "../../../application/deploying/prepare-deployment.ts";
import type { Inspection } from "../../../cloud/inspection/inspection.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer, tell } from "../print.ts";
import { mayRunScript } from "../read-deployment.ts";
import { readVariables } from "../read-values.ts";
import type { scriptCommands } from "./scripts.definition.ts";

export const inspect: Run<typeof scriptCommands.inspect> = async ([reference], flags) => {
  const inspection = await inspectReference(reference, {
    isStatic: flags.static === true,
    environment: readVariables("--env", flags.env),
    mayRun: (sentence) => mayRunScript(sentence, flags.yesRun === true),
    onRun: (sentence) => tell(flags, sentence),
  });
  printAnswer(flags, {
    document: inspection,
    text: inspectionText(inspection),
    names: [inspection.target],
  });
};

function inspectionText(inspection: Inspection): string {
  const { target, kind, dialect, line, config, dynamic, env_read, executables, command } =
    inspection;
  const { stubbed, image, warnings } = inspection;
  const settings = Object.entries(config).map(
    ([name, value]) => `${name}=${JSON.stringify(value)}`,
  );
  const variables = env_read.map(({ name, value, default: usual }) =>
    value !== undefined
      ? `${name} (set)`
      : usual !== undefined
        ? `${name} (usually ${usual})`
        : name,
  );
  const rows: [string, readonly string[]][] = [
    ["Settings", settings],
    ["Known only by running it", dynamic],
    ["Variables", variables],
    ["Programs", executables],
    ["Calls", command.length === 0 ? [] : [command.join(" ")]],
    ["Not installed here", stubbed],
    ["Image's pip", image?.pip ?? []],
    ["Image's ignored lines", image?.ignored ?? []],
    ["Warnings", warnings.map(({ sentence }) => sentence)],
  ];
  const sections = rows
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `  ${title}\n${lines.map((text) => `    ${text}\n`).join("")}`);
  return `${target}: ${kind} of ${dialect}, line ${line}\n\n${sections.join("\n")}`;
}
