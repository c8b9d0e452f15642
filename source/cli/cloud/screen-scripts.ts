// Scripts for the deploy screen: finds, reads, generates, packs and checks them. The modules that read
// scripts are loaded on first use, as that takes as long as all screens together.

import { isUnreachable } from "../../application/cloud-host/cloud-server.ts";
import {
  appNameFault,
  appNameFor,
  appNameIn,
  configFor,
  environmentOf,
  isSecretVariable,
  previewScale,
} from "../../application/deploying/app-facts.ts";
import { deployScript } from "../../application/deploying/deploy-script.ts";
import type {
  CloudServer,
  DeployAnswers,
  Preparation,
  ScriptAccess,
} from "../../ui/app/cloud-access.ts";
import { writeScript } from "./commands/init.ts";
import { readServer } from "./read-server.ts";
import type { Session } from "./session.ts";

/** @param sessionOf returns the settings of a profile */
export function screenScripts(sessionOf: (profile: string) => Session): ScriptAccess {
  return {
    find: async (folder) => await (await finding()).findScripts(folder),
    targets: async (file) => await (await finding()).scriptTargets(file),
    inspect: async (reference, { isStatic = false, onRun = () => {}, signal } = {}) =>
      await (await preparing()).inspectReference(reference, { isStatic, onRun, signal }),
    config: configFor,
    generate: deployScript,
    write: async (file, text, replace) => writeScript(file, text, replace),
    prepare,
    preflight: async (preparing, server, tell) => {
      const { preflight } = await import("../../application/deploying/preflight.ts");
      const session = sessionOf(server.target.profile);
      const [listener] = readServer(session).listeners;
      const place = {
        // Created for each call, so that a missing key becomes a finding.
        client: {
          status: async () => await server.client.status(),
          secrets: async (environment?: string) => await server.client.secrets(environment),
          keys: async () => await server.client.keys(),
        },
        isLocal: server.target.isLocal,
        stateFolder: session.stateFolder,
        gateway: { host: listener?.host ?? "", port: listener?.port ?? 0 },
      };
      return await preflight(preparing, place, tell);
    },
    nameFault: appNameFault,
    nameIn: appNameIn,
    environmentOf,
    suggestName: appNameFor,
    looksSecret: isSecretVariable,
    previewScale,
  };
}

const finding = async () => await import("../../application/deploying/find-scripts.ts");
const preparing = async () => await import("../../application/deploying/prepare-deployment.ts");

async function prepare(answers: DeployAnswers, server: CloudServer): Promise<Preparation> {
  const notes: string[] = [];
  const progress = {
    step: () => {},
    note: (sentence: string) => notes.push(sentence),
    // Warnings are returned.
    warn: () => {},
  };
  const { prepareDeployment } = await preparing();
  const { keepQuestion, readDeployedApp } = await import(
    "../../application/deploying/kept-variables.ts"
  );
  const findDeployed = async (app: string) => {
    try {
      return await readDeployedApp(server.client, app);
    } catch (error) {
      // The launch starts it, and it refuses to lose variables.
      if (server.target.isLocal && isUnreachable(error)) return undefined;
      throw error;
    }
  };
  const wishes = { ...answers, includes: [], annotations: {}, findDeployed };
  const { unreadSecrets, ...prepared } = await prepareDeployment(wishes, progress);
  return {
    ...prepared,
    ...(unreadSecrets.length > 0 && { secretsQuestion: keepQuestion(unreadSecrets) }),
    warnings: [...notes, ...prepared.warnings],
  };
}
