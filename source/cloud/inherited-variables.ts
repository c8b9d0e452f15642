// Environment variables that replicas inherit from the control plane. Its shell may hold secrets,
// and replicas belong to any organisation.
import { settingDefinitions } from "../configuration/settings.ts";

const inheritedNames = [
  /^(?:PATH|HOME|USER|LANG|TZ|TMPDIR|LD_LIBRARY_PATH|HF_HOME)$/,
  /^(?:LC|XDG|CUDA|NVIDIA|HIP|ROCR)_/,
  /^(?:https?|ftp|all|no)_proxy$/i,
  /^(?:SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|PIP_CERT|\w+_CA_BUNDLE)$/,
  // Settings of the Python side for all replicas, and the path of our modelctl.
  /^DEPLOYCTL_(?:REAL_FAL|BIND_ANY|MODELCTL)$/,
];

/** Settings of modelctl, none of them secret, and Ollama's variable for the store's folder. */
const modelctlNames = new Set([
  ...Object.keys(settingDefinitions).map((name) => `MODELCTL_${name.toUpperCase()}`),
  "OLLAMA_MODELS",
]);

/** Variables that scripts often need and many shells set. */
const wellKnownNames =
  /^(?:HF_TOKEN|HF_ENDPOINT|HUGGING_FACE_HUB_TOKEN|AWS_\w+|AZURE_\w+|GOOGLE_APPLICATION_CREDENTIALS|(?:OPENAI|ANTHROPIC|GEMINI|GOOGLE|MISTRAL|GROQ|COHERE|TOGETHER|OPENROUTER|WANDB|NGC|LANGSMITH)_API_KEY|OPENAI_BASE_URL|OTEL_\w+|GITHUB_TOKEN|GH_TOKEN|DATABASE_URL|VLLM_\w+|PYTHONPATH)$/;

export function inheritedVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isInherited(name)));
}

/**
 * Returns well-known variables that are set but not inherited by replicas, in alphabetical order.
 *
 * @param given names that the app's own configuration provides
 */
export function variablesNotInherited(
  environment: NodeJS.ProcessEnv,
  given: ReadonlySet<string>,
): string[] {
  return Object.keys(environment)
    .filter((name) => wellKnownNames.test(name) && environment[name] !== "")
    .filter((name) => !isInherited(name) && !given.has(name))
    .sort();
}

/** Returns true for a variable that replicas get from the control plane. */
export function isInherited(name: string): boolean {
  return modelctlNames.has(name) || inheritedNames.some((pattern) => pattern.test(name));
}
