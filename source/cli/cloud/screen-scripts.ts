// Scripts for the deploy screen: found, read, made, packed and examined before anything is sent.
import {
  appNameFault,
  appNameFor,
  configFor,
  isSecretVariable,
  previewScale,
} from "../../application/app-facts.ts";
import { deployScript } from "../../application/deploy-script.ts";
import { findScripts, scriptTargets } from "../../application/find-scripts.ts";
import { preflight } from "../../application/preflight.ts";
import { inspectReference, prepareDeployment } from "../../application/prepare-deployment.ts";
import type { DeployAnswers, Preparation, ScriptAccess } from "../../ui/screens/cloud-access.ts";
import { readServer } from "./read-server.ts";
import type { Session } from "./session.ts";
import { writeScript } from "./write-script.ts";

/** @param sessionOf the settings of a profile */
export function screenScripts(sessionOf: (profile: string) => Session): ScriptAccess {
  return {
    find: findScripts,
    targets: scriptTargets,
    inspect: async (reference, { isStatic = false, onRun = () => {}, signal } = {}) =>
      await inspectReference(reference, { isStatic, onRun, signal }),
    config: configFor,
    generate: deployScript,
    write: async (file, text, replace) => writeScript(file, text, replace),
    prepare,
    preflight: async ({ request, script }, server) => {
      const session = sessionOf(server.target.profile);
      const [listener] = readServer(session).listeners;
      return await preflight(request, script, {
        client: server,
        isLocal: server.target.isLocal,
        stateFolder: session.stateFolder,
        gateway: { host: listener?.host ?? "", port: listener?.port ?? 0 },
      });
    },
    nameFault: appNameFault,
    suggestName: appNameFor,
    looksSecret: isSecretVariable,
    previewScale,
  };
}

async function prepare(answers: DeployAnswers): Promise<Preparation> {
  const { strategy, isForced, resetsScale, smoke, message } = answers;
  const notes: string[] = [];
  const progress = {
    step: () => {},
    note: (sentence: string) => notes.push(sentence),
    // Warnings are given back.
    warn: () => {},
  };
  const wishes = { ...answers, strategy, isForced, resetsScale, smoke, message };
  const { request, warnings, files, script } = await prepareDeployment(
    { ...wishes, isDetached: undefined, annotations: {} },
    progress,
  );
  const sizeBytes = request.bundle.files.reduce(
    (sum, { contentBase64 }) => sum + Buffer.byteLength(contentBase64, "base64"),
    0,
  );
  return { request, script, warnings: [...notes, ...warnings], files, sizeBytes };
}
