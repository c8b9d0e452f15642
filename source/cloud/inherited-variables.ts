// The variables of the control plane's own environment that replicas get. It may have been started from
// a shell full of secrets, and every organisation's apps run below it.
import { settingDefinitions } from "../configuration/settings.ts";

const inheritedNames = [
  /^(?:PATH|HOME|USER|LANG|TZ|TMPDIR|LD_LIBRARY_PATH|HF_HOME)$/,
  /^(?:LC|XDG|CUDA|NVIDIA|HIP|ROCR)_/,
  /^(?:https?|ftp|all|no)_proxy$/i,
  /^(?:SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|PIP_CERT|\w+_CA_BUNDLE)$/,
  // Switches of the Python side for all replicas, and where our own modelctl is.
  /^DEPLOYCTL_(?:REAL_FAL|BIND_ANY|MODELCTL)$/,
];

/** Settings of modelctl, none of which is a secret, and the store's place as Ollama names it. */
const modelctlNames = new Set([
  ...Object.keys(settingDefinitions).map((name) => `MODELCTL_${name.toUpperCase()}`),
  "OLLAMA_MODELS",
]);

/** Variables that scripts often rely on and that are set in many shells. */
const wellKnownNames =
  /^(?:HF_TOKEN|HF_ENDPOINT|HUGGING_FACE_HUB_TOKEN|AWS_\w+|AZURE_\w+|GOOGLE_APPLICATION_CREDENTIALS|(?:OPENAI|ANTHROPIC|GEMINI|GOOGLE|MISTRAL|GROQ|COHERE|TOGETHER|OPENROUTER|WANDB|NGC|LANGSMITH)_API_KEY|OPENAI_BASE_URL|GITHUB_TOKEN|GH_TOKEN|DATABASE_URL|VLLM_\w+|PYTHONPATH)$/;

export function inheritedVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isInherited(name)));
}

/**
 * Well-known variables that are set and that no replica inherits, in alphabetical order.
 *
 * @param given names that the app gets by its own configuration
 */
export function variablesLeftOut(
  environment: NodeJS.ProcessEnv,
  given: ReadonlySet<string>,
): string[] {
  return Object.keys(environment)
    .filter((name) => wellKnownNames.test(name) && environment[name] !== "")
    .filter((name) => !isInherited(name) && !given.has(name))
    .sort();
}

function isInherited(name: string): boolean {
  return modelctlNames.has(name) || inheritedNames.some((pattern) => pattern.test(name));
}
