// deployctl up: starts this machine's control plane and gateway, or shows that they run.
import { findControlPlane } from "../../../application/control-plane-process.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { warn } from "../../output.ts";
import type { Run } from "../../program/definition.ts";
import { printAnswer } from "../print.ts";
import { openSession } from "../session.ts";
import { clientOf, ensureControlPlane } from "../target.ts";
import type { upDefinition } from "./server.definition.ts";
import { statusText } from "./status.ts";

const serverFlags = [
  "org",
  "listen",
  "adminListen",
  "baseUrl",
  "tls",
  "tlsCert",
  "tlsKey",
  "behindProxy",
  "insecureHttp",
  "portRange",
  "gatewayWorkers",
] as const;

export const up: Run<typeof upDefinition> = async (_words, flags) => {
  const session = openSession(flags);
  if (flags.foreground) {
    const { serve } = await import("../serve.ts");
    return await serve(session);
  }
  const { server: _named, ...settings } = session.settings;
  const own = { ...session, settings };
  const found = await findControlPlane(session.stateFolder);
  const wasRunning = found !== undefined && found.isStopping !== true;
  if (wasRunning && serverFlags.some((flag) => flags[flag] !== undefined)) {
    warn("Already running with its own settings; stop it with deployctl down.");
  }
  await ensureControlPlane(own);
  const status = await clientOf(own).status();
  printAnswer(flags, {
    document: { ...status, started: !wasRunning },
    text: wasRunning ? `Already running.\n${statusText(status)}` : statusText(status),
    names: [status.baseUrl],
  });
  return exitCodes.ok;
};
