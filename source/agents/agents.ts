// All coding agents that `modelctl launch` knows, those that people use most first.
import { nearestName } from "../base/nearest-name.ts";
import { ProductError } from "../base/product-error.ts";
import type { Agent } from "./agent.ts";
import { aider } from "./aider.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { crush } from "./crush.ts";
import { agentErrors } from "./errors.ts";
import { goose } from "./goose.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwen } from "./qwen.ts";

export const agents: readonly Agent[] = [
  codex,
  claude,
  opencode,
  qwen,
  pi,
  copilot,
  crush,
  goose,
  aider,
];

/** Agents that cannot use the server. */
export const unsupportedAgents: readonly { name: string; title: string; reason: string }[] = [
  {
    name: "gemini",
    title: "Gemini CLI",
    reason: "it speaks Google's API only, which the server does not offer",
  },
];

/** @throws ProductError `AGENT_UNKNOWN` with the nearest name, `AGENT_UNSUPPORTED` */
export function findAgent(typed: string): Agent {
  const name = typed.toLowerCase();
  const found = agents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const unsupported = unsupportedAgents.find((agent) => agent.name === name);
  if (unsupported !== undefined) {
    throw new ProductError(agentErrors.unsupported, {
      message: `${unsupported.title} cannot be launched: ${unsupported.reason}.`,
      hint: `Use one of ${names()}.`,
    });
  }
  const nearest = nearestName(
    name,
    agents.map((agent) => agent.name),
  );
  throw new ProductError(agentErrors.unknown, {
    message: `Unknown agent '${typed}'.`,
    hint: nearest === undefined ? `Use one of ${names()}.` : `Did you mean ${nearest}?`,
  });
}

function names(): string {
  return agents.map(({ name }) => name).join(", ");
}
