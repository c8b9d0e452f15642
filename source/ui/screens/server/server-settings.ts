// Settings of the server that this program hosts, and a dialogue to change them.

import type { KeyRule, ServerSettings } from "../../app/server-access.ts";
import type { Choice, FrameServices } from "../../frame/screen.ts";

const keyRules: readonly KeyRule[] = ["auto", "true", "false"];

const keyRuleTexts: Readonly<Record<KeyRule, string>> = {
  auto: "if other machines can reach it",
  true: "always, except for your own commands",
  false: "never",
};

const title = "Server settings (until you quit)";

/**
 * @param isStopped unchanged settings can be applied too
 * @returns the new settings; undefined if cancelled
 */
export async function askSettings(
  before: ServerSettings,
  isStopped: boolean,
  frame: Pick<FrameServices, "ask" | "choose">,
): Promise<ServerSettings | undefined> {
  let settings = before;
  for (;;) {
    const canStart = isStopped || JSON.stringify(settings) !== JSON.stringify(before);
    const chosen = await frame.choose(title, choicesOf(settings, canStart));
    if (chosen === undefined) return undefined;
    if (chosen === "apply") return settings;
    settings = { ...settings, ...(await askOne(chosen, settings, frame)) };
  }
}

function choicesOf(settings: ServerSettings, canStart: boolean): Choice[] {
  const { host, port, requireKey, origins } = settings;
  const apply = { value: "apply", title: "Start with these settings" };
  return [
    ...(canStart ? [apply] : []),
    { value: "host", title: "Listen address", note: host },
    { value: "port", title: "Port", note: String(port) },
    { value: "requireKey", title: "Require a key", note: keyRuleTexts[requireKey] },
    {
      value: "origins",
      title: "Allowed origins (CORS)",
      note: origins.length === 0 ? "local origins only" : origins.join(", "),
    },
  ];
}

async function askOne(
  name: string,
  settings: ServerSettings,
  frame: Pick<FrameServices, "ask" | "choose">,
): Promise<Partial<ServerSettings>> {
  const ask = async (
    question: string,
    initial: string,
    check?: (text: string) => string | undefined,
  ) => (await frame.ask(question, initial, (text) => check?.(text.trim())))?.trim();
  switch (name) {
    case "host": {
      const host = await ask(
        "Listen address (127.0.0.1: this machine only)",
        settings.host,
        (text) => (/^[\w.:%-]*$/.test(text) ? undefined : `'${text}' is not a valid address`),
      );
      return host ? { host } : {};
    }
    case "port": {
      const typed = await ask("Port", String(settings.port), (text) => {
        const port = Number(text);
        const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
        return isPort || text === "" ? undefined : `'${text}' is not a port (1 to 65535)`;
      });
      return typed ? { port: Number(typed) } : {};
    }
    case "origins": {
      const typed = await ask("Allowed origins, separated by commas", settings.origins.join(", "));
      const origins = typed?.split(",").map((origin) => origin.trim());
      return origins === undefined ? {} : { origins: origins.filter((origin) => origin !== "") };
    }
    default: {
      const choices = keyRules.map((value) => ({ value, title: keyRuleTexts[value] }));
      const chosen = await frame.choose("Require a key", choices);
      const requireKey = keyRules.find((rule) => rule === chosen);
      return requireKey === undefined ? {} : { requireKey };
    }
  }
}
