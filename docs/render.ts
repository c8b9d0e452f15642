// Renders the documentation that comes from code: commands, errors, settings, keys.
import { readFileSync } from "node:fs";
import path from "node:path";
import { agents, unsupportedAgents } from "../source/agents/agents.ts";
import { errorTables } from "../source/application/error-catalog.ts";
import { commandErrors } from "../source/cli/errors.ts";
import { settingText } from "../source/configuration/setting-text.ts";
import { type Settings, settingDefinitions } from "../source/configuration/settings.ts";
import { commandCatalog } from "../source/ui/app/command-catalog.ts";
import { callsOf } from "../source/ui/frame/command-lists.ts";
import { renderCommands } from "./render-commands.ts";
import { renderRequestFields } from "./request-fields.ts";

const notice = "<!-- Made by `npm run docs`; do not edit. -->";

/** Returns the text of each generated page by file name. */
export function renderDocs(): Record<string, string> {
  return {
    "cli.md": renderCommands(notice),
    "errors.md": renderErrors(),
    "configuration.md": renderConfiguration(),
    "keyboard.md": renderKeys(),
    "compatibility.md": withTable(
      "compatibility.md",
      "docs/request-fields.ts",
      renderRequestFields(),
    ),
    "agents.md": withTable("agents.md", "source/agents", renderAgents()),
  };
}

const tableEnd = "<!-- End of what is made. -->";

/** Returns a page that is written by hand, with the present table between its two marks. */
function withTable(page: string, source: string, table: string): string {
  const text = readFileSync(path.join(import.meta.dirname, page), "utf8");
  const [before, , after] = text.split(/(<!-- Made by[\s\S]*?<!-- End of what is made\. -->)/);
  if (after === undefined) throw new Error(`docs/${page} has no place for its table`);
  const begin = `<!-- Made by \`npm run docs\` from ${source}; do not edit. -->`;
  return `${before}${begin}\n\n${table}\n\n${tableEnd}${after}`;
}

function renderAgents(): string {
  const rows = agents.map(
    ({ name, title, install, oneTask, route, promptTokens, tried, repeats }) => [
      `**${title}**<br>\`${name}\``,
      `\`${install.join(" ")}\``,
      `\`-- ${oneTask('"…"').join(" ")}\``,
      `\`${route}\``,
      promptTokens.toLocaleString("en"),
      tried ?? "not tried",
      repeats,
    ],
  );
  const refused = unsupportedAgents.map(
    ({ title, reason }) => `${title} cannot be used: ${reason}.`,
  );
  return [
    "| agent | installed by | a single task | calls | first prompt, tokens | tried with | what is read again |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
    "",
    ...refused,
  ].join("\n");
}

function renderErrors(): string {
  const tables = [...errorTables, { title: "Command line", table: commandErrors }];
  const sections = tables.map(({ title, table }) => {
    const rows = Object.values(table).map(
      ({ code, status, exitCode, description }) =>
        `| \`${code}\` | ${status} | ${exitCode} | ${description} |`,
    );
    return [
      `## ${title}`,
      "",
      "| code | HTTP status | exit code | when |",
      "| --- | --- | --- | --- |",
      ...rows,
    ].join("\n");
  });
  return [
    "# Errors",
    "",
    notice,
    "",
    "Stable error codes, for programs. `/v1` responses have the code as `error.code`, native ones as `code`, and commands as their exit code:",
    "",
    "```json",
    '{"error": "model \'missing:latest\' not found. …", "code": "STORE_MODEL_NOT_FOUND"}',
    "```",
    "",
    sections.join("\n\n"),
    "",
  ].join("\n");
}

function renderConfiguration(): string {
  const rows = (Object.keys(settingDefinitions) as Array<keyof Settings>).map((name) => {
    const { honoursOllama, description } = settingDefinitions[name];
    const suffix = name.toUpperCase();
    const variables = [
      `\`MODELCTL_${suffix}\``,
      ...(honoursOllama ? [`\`OLLAMA_${suffix}\``] : []),
    ];
    return `| \`${name}\` | ${variables.join(", ")} | ${settingText(name, settingDefinitions[name].default)} | ${description} |`;
  });
  return [
    "# Settings",
    "",
    notice,
    "",
    "Settings of modelctl, from flags, the environment, `config.toml` and the defaults, in this order of precedence:",
    "",
    "```sh",
    'MODELCTL_KEEP_ALIVE=30m modelctl serve   # once; or put keep_alive = "30m" into config.toml',
    "modelctl config show --origin            # all values, where each comes from, and the path of config.toml",
    "```",
    "",
    "A listed `OLLAMA_` variable applies if its `MODELCTL_` counterpart is unset.",
    "Relative paths in `config.toml` start from its folder, and `~/` is the home folder; lists use TOML syntax.",
    "",
    "| name in config.toml | environment | default | meaning |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function renderKeys(): string {
  const sections = commandCatalog.map(({ title, commands }) => {
    const groups = [...new Set(commands.map(({ group }) => group))];
    const tables = groups.map((group) => {
      const rows = commands
        .filter((command) => command.group === group)
        .map((command) => {
          const calls = callsOf(command).map(code).join(" ");
          return `| ${calls} | ${command.title.replaceAll("|", "\\|")} |`;
        });
      const heading = group === title ? [] : [`### ${group}`, ""];
      return [...heading, "| key or command | does |", "| --- | --- |", ...rows].join("\n");
    });
    return [`## ${title}`, ...tables].join("\n\n");
  });
  const introduction =
    "Keys and commands of the full screen. For example, `Ctrl+P` opens the command palette, and `/model tiny` in the chat switches the model. Commands that start with a slash are typed in the chat. In a text field, letters and digits are text; `Alt` with a digit switches the screen.";
  return `# Keys and commands\n\n${notice}\n\n${introduction}\n\n${sections.join("\n\n")}\n`;
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
