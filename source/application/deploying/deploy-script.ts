// The script of `deployctl init --model`, which serves a model with modelctl.
import { existsSync } from "node:fs";
import path from "node:path";
import { afterHubPrefix, looksLikePath, toAbsolutePath } from "../../base/file-path.ts";
import { packageFolder } from "../../base/package-facts.ts";
import { ProductError } from "../../base/product-error.ts";
import { quoteForShell } from "../../base/quoting.ts";
import { suggestName } from "../../cloud/app-name.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { defaultHubPrefixes } from "../../store/model-reference.ts";

/** Variable with modelctl's command line for replicas, quoted for a shell. */
export const modelctlVariable = "DEPLOYCTL_MODELCTL";

/** Returns the command line of this package's modelctl. */
export function modelctlCommand(): string {
  const entry = path.join(packageFolder(), "dist", "cli.js");
  return [process.execPath, entry].map(quoteForShell).join(" ");
}

export interface DeployScript {
  text: string;
  appName: string;
}

/**
 * @param model a name in the store, hf.co/OWNER/REPO[:QUANT], or the path of a .gguf file
 * @param fileName name of the script, for its docstring
 * @throws ProductError `CLOUD_REQUEST_INVALID` if the path does not exist
 */
export function deployScript(model: string, fileName: string): DeployScript {
  const isName = afterHubPrefix(model, defaultHubPrefixes) !== undefined;
  const isPath = !isName && looksLikePath(model);
  // A replica runs in another folder.
  const reference = isPath ? toAbsolutePath(model) : model;
  if (isPath && !existsSync(reference)) {
    throw new ProductError(cloudErrors.requestInvalid, {
      message: `File ${reference} does not exist.`,
      hint: "Name a .gguf file, a model from modelctl list, or hf.co/OWNER/REPO.",
    });
  }
  const folder = isPath ? path.dirname(reference) : undefined;
  const appName = suggestName(path.basename(model));
  const text = `"""Serves a model with modelctl, behind deployctl's gateway.

    deployctl deploy ${fileName} --app-name ${appName}
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import deployctl

MODEL = os.environ.get("MODEL_NAME", ${pythonText(reference)})
PARALLEL = 4  # concurrent requests per replica


def modelctl():
    # deployctl sets this to its own modelctl; without deployctl, use the one on the PATH.
    configured = os.environ.get("${modelctlVariable}")
    command = shlex.split(configured) if configured else [shutil.which("modelctl")]
    return command if command[0] else sys.exit("modelctl is not on the PATH")


@deployctl.app(port=8000, max_multiplexing=PARALLEL, max_concurrency=2)
def serve():
    if MODEL.startswith("hf.co/"):
        subprocess.run([*modelctl(), "pull", MODEL], check=True)
    # A separate state folder keeps other commands from using this server.
    with tempfile.TemporaryDirectory() as state:
        settings = {
            "XDG_STATE_HOME": state,
            "MODELCTL_KEEP_ALIVE": "-1",
            "MODELCTL_ORIGINS": "*",${
              folder === undefined
                ? ""
                : `
            "MODELCTL_MODEL_FOLDERS": ${pythonText(folder)},`
            }
        }
        subprocess.run(
            [
                *modelctl(),
                "serve",
                "--host",
                "127.0.0.1",
                "--port",
                str(deployctl.port()),
                "--preload",
                MODEL,
                "--num-parallel",
                str(PARALLEL),
            ],
            env={**os.environ, **settings},
        )
`;
  return { text, appName };
}

/**
 * Returns the model that a generated script serves.
 *
 * @param text the script, which its user may have changed
 * @param environment variables of its replicas
 * @returns undefined for any other script
 */
export function modelOf(
  text: string,
  environment: Readonly<Record<string, string>>,
): string | undefined {
  const [, literal] = modelLine.exec(text) ?? [];
  if (literal === undefined) return undefined;
  return environment.MODEL_NAME ?? String(JSON.parse(literal));
}

const modelLine = /^MODEL = os\.environ\.get\("MODEL_NAME", ("(?:[^"\\]|\\.)*")\)$/m;

/** Quotes a text as a Python string; JSON's escapes are valid there. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

/** Sets the variable for the replicas of this process, the control plane. */
export function shareModelctlCommand(): void {
  process.env[modelctlVariable] = modelctlCommand();
}
