// Commands of modelctl for servers with tools: arguments, flags, help.
import { jsonFlag } from "../flags.ts";
import type { CommandTable } from "../program/definition.ts";

export const mcpCommands = {
  addServer: {
    name: "mcp add",
    words: "NAME",
    passesOn: "COMMAND…",
    summary: "Add a server with tools (MCP)",
    details: `COMMAND starts a server that speaks MCP on standard input and output; --url names one at an address.
Values may refer to environment variables: \${TOKEN}.`,
    flags: {
      url: { type: "string", value: "URL", text: "Address of a server (streamable HTTP)" },
      env: { type: "strings", value: "NAME=VALUE", text: "Set an environment variable of COMMAND" },
      header: { type: "strings", value: "NAME: VALUE", text: "Send this header to --url" },
    },
    examples: [
      "mcp add notes -- npx -y @modelcontextprotocol/server-filesystem ~/notes",
      `mcp add issues --env 'TOKEN=\${ISSUES_TOKEN}' -- issues-server --stdio`,
      "mcp add docs --url https://docs.example.com/mcp",
    ],
    exitCodes: { 5: "Name taken" },
    docs: "docs/tools.md",
  },
  listServers: {
    name: "mcp list",
    aliases: ["mcp ls"],
    summary: "List servers with tools, without starting them",
    flags: jsonFlag,
    examples: ["mcp list", "mcp list --json"],
    docs: "docs/tools.md",
  },
  removeServer: {
    name: "mcp remove",
    aliases: ["mcp rm"],
    words: "NAME",
    completes: "tool server",
    summary: "Remove a server with tools",
    examples: ["mcp remove notes", "mcp list"],
    exitCodes: { 3: "No such server" },
    docs: "docs/tools.md",
  },
  testServer: {
    name: "mcp test",
    words: "NAME",
    completes: "tool server",
    summary: "Start a server and list its tools",
    flags: jsonFlag,
    examples: ["mcp test notes", "mcp test files --json"],
    exitCodes: { 3: "No such server", 4: "It needs a login", 8: "It failed" },
    docs: "docs/tools.md",
  },
} as const satisfies CommandTable;
