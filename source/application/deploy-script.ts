// The script that `deployctl init --model` writes: modelctl itself as an app.
import { existsSync } from "node:fs";
import path from "node:path";
import { looksLikePath, toAbsolutePath } from "../base/file-path.ts";
import { afterHubPrefix } from "../base/hub-prefix.ts";
import { packageFolder } from "../base/package-folder.ts";
import { ProductError } from "../base/product-error.ts";
import { suggestName } from "../cloud/app-name.ts";
import { cloudErrors } from "../cloud/errors.ts";
import { defaultHubPrefixes } from "../store/model-reference.ts";

/** Tells replicas how modelctl is called; its words are quoted as for a shell. */
export const modelctlVariable = "DEPLOYCTL_MODELCTL";

/** The modelctl of this very package, whether it is installed or a clone. */
export function modelctlCommand(): string {
  const entry = path.join(packageFolder(), "dist", "cli.js");
  return [process.execPath, entry].map(shellWord).join(" ");
}

export interface DeployScript {
  text: string;
  /** A legal app name that is near the model's. */
  appName: string;
}

/**
 * @param model a name of the store, hf.co/OWNER/REPO[:QUANT], or the path of a .gguf file
 * @param fileName what the script will be called, for its own text
 * @throws ProductError `CLOUD_REQUEST_INVALID` for a path that leads nowhere
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
PARALLEL = 4  # requests that one replica answers at a time


def modelctl():
    # deployctl says where its own modelctl is; elsewhere the one on the PATH is called.
    told = os.environ.get("${modelctlVariable}")
    found = shlex.split(told) if told else [shutil.which("modelctl")]
    return found if found[0] else sys.exit("modelctl is not on the PATH")


@deployctl.app(port=8000, health_path="/v1/models", max_multiplexing=PARALLEL, max_concurrency=2)
def serve():
    if MODEL.startswith("hf.co/"):
        subprocess.run([*modelctl(), "pull", MODEL], check=True)
    # With a state folder of its own it is not taken for the server of this machine.
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

function shellWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** JSON's strings are Python's, but for one: both know the same escapes. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}

/** Replicas inherit it from the control plane, which calls this when it starts. */
export function tellReplicasOfModelctl(): void {
  process.env[modelctlVariable] = modelctlCommand();
}
