// Renders the documentation that comes from code: commands, errors, settings, keys.
import { errorTables } from "../source/application/error-catalog.ts";
import { commandErrors } from "../source/cli/errors.ts";
import { settingText } from "../source/configuration/setting-text.ts";
import { type Settings, settingDefinitions } from "../source/configuration/settings.ts";
import { commandCatalog } from "../source/ui/app/command-catalog.ts";
import { callsOf } from "../source/ui/frame/command-lists.ts";
import { renderCommands } from "./render-commands.ts";

const notice = "<!-- Made by `npm run docs`; do not edit. -->";

/** File name and text of every generated page. */
export function renderDocs(): Record<string, string> {
  return {
    "cli.md": renderCommands(notice),
    "errors.md": renderErrors(),
    "configuration.md": renderConfiguration(),
    "keys.md": renderKeys(),
  };
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
  return `# Errors\n\n${notice}\n\nEvery error has a stable code. \`/v1\` replies carry it as \`error.code\`, native replies as \`code\`.\n\n${sections.join("\n\n")}\n`;
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
    "Flags win over the environment, the environment over `config.toml`, that over the default.",
    "Where our variable is unset, Ollama's of the same name is honoured if it is listed.",
    "Paths in `config.toml` start from its folder, or from home as `~/…`; lists are written as TOML writes them.",
    "`modelctl config show --origin` tells what is in force and where it comes from.",
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
    "Commands that begin with a slash are typed in the chat. Where a text field has the focus, letters and digits are text: `Alt` with a digit changes the screen.";
  return `# Keys and commands\n\n${notice}\n\n${introduction}\n\n${sections.join("\n\n")}\n`;
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
