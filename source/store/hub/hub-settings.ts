// Settings for the hub: address, token, proxies.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { inspect } from "node:util";
import { ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { storeErrors } from "../errors.ts";
import { isMissing } from "../library/disk-errors.ts";

const shown = "[hub token]";

/** The user's secret for the hub. Prints as a placeholder; only `authorization` reveals it. */
export class HubToken {
  readonly #secret: string;
  /** Where it was found, for messages: `HF_TOKEN`, a file's path. */
  readonly source: string;

  constructor(secret: string, source: string) {
    this.#secret = secret;
    this.source = source;
  }

  /** The value of an `Authorization` header. */
  authorization(): string {
    return `Bearer ${this.#secret}`;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}

export interface ProxySettings {
  /** Proxy for `http:` addresses. */
  http?: string;
  /** Proxy for `https:` addresses. */
  https?: string;
  /** Hosts to reach without a proxy, as in `NO_PROXY`. */
  except: string;
}

export interface HubSettings {
  /** Base address without a trailing slash. */
  endpoint: string;
  token?: HubToken;
  /** The reason why an existing token file gave no token; shown when the hub asks for one. */
  tokenProblem?: string;
  proxy: ProxySettings;
  /** Cache of the hub's own tools; need not exist. */
  cacheFolder: string;
  /** True forbids any request (`HF_HUB_OFFLINE`). */
  offline: boolean;
}

/** Values of our flags and settings, which win over the environment. */
export interface HubOverrides {
  endpoint?: string;
  token?: string;
}

const defaultEndpoint = "https://huggingface.co";

/**
 * Reads the variables of the hub's own tools and the usual proxy variables.
 * https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
 *
 * @throws ProductError `STORE_HUB_SETTING_INVALID`
 */
export async function readHubSettings(
  environment: NodeJS.ProcessEnv,
  overrides: HubOverrides = {},
): Promise<HubSettings> {
  return {
    endpoint: readEndpoint(overrides.endpoint ?? environment.HF_ENDPOINT),
    ...(await findToken(environment, overrides.token)),
    proxy: readProxy(environment),
    cacheFolder: environment.HF_HUB_CACHE || path.join(hubHome(environment), "hub"),
    offline: /^(1|true|yes|on)$/i.test(environment.HF_HUB_OFFLINE ?? ""),
  };
}

function readEndpoint(text: string | undefined): string {
  if (!text?.trim()) return defaultEndpoint;
  const url = URL.parse(text.trim());
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === null || !isWeb || url.username !== "" || url.search !== "" || url.hash !== "") {
    const more = isWeb ? ": it must be a host and a path" : "";
    throw new ProductError(storeErrors.hubSettingInvalid, {
      message: `${JSON.stringify(withoutSecrets(text))} is not the address of a hub${more}.`,
      hint: `Set HF_ENDPOINT to an address such as ${defaultEndpoint}, without user name and password.`,
    });
  }
  return url.href.replace(/\/+$/, "");
}

async function findToken(
  environment: NodeJS.ProcessEnv,
  given: string | undefined,
): Promise<Pick<HubSettings, "token" | "tokenProblem">> {
  const named: ReadonlyArray<readonly [string, string | undefined]> = [
    ["the token given", given],
    ["HF_TOKEN", environment.HF_TOKEN],
    ["HUGGING_FACE_HUB_TOKEN", environment.HUGGING_FACE_HUB_TOKEN],
  ];
  for (const [source, text] of named) {
    if (text?.trim()) return { token: checkedToken(text, source) };
  }
  const file = tokenFile(environment);
  try {
    const text = await readFile(file, "utf8");
    return text.trim() === "" ? {} : { token: checkedToken(text, file) };
  } catch (error) {
    if (error instanceof ProductError) throw error;
    const code = systemCode(error) ?? "unreadable";
    return isMissing(error)
      ? {}
      : { tokenProblem: `The token file ${file} cannot be read (${code}).` };
  }
}

function tokenFile(environment: NodeJS.ProcessEnv): string {
  return environment.HF_TOKEN_PATH || path.join(hubHome(environment), "token");
}

function hubHome(environment: NodeJS.ProcessEnv): string {
  const home = environment.HOME ?? homedir();
  const cache = environment.XDG_CACHE_HOME || path.join(home, ".cache");
  return environment.HF_HOME || path.join(cache, "huggingface");
}

/** The secret itself is never part of the message. */
function checkedToken(text: string, source: string): HubToken {
  const secret = text.trim();
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new ProductError(storeErrors.hubSettingInvalid, {
      message: `The hub token from ${source} contains invalid characters.`,
      hint: "A token is one word that begins with hf_; see https://huggingface.co/settings/tokens.",
    });
  }
  return new HubToken(secret, source);
}

function readProxy(environment: NodeJS.ProcessEnv): ProxySettings {
  const either = (name: string) => environment[name.toLowerCase()] || environment[name];
  const every = either("ALL_PROXY");
  const http = either("HTTP_PROXY") || every;
  const https = either("HTTPS_PROXY") || every;
  return {
    ...(http && { http: checkedProxy("HTTP_PROXY", http) }),
    ...(https && { https: checkedProxy("HTTPS_PROXY", https) }),
    except: either("NO_PROXY") ?? "",
  };
}

/** `proxy:3128` means `http://proxy:3128`, as in curl. */
function checkedProxy(name: string, text: string): string {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || !/^(https?|socks5?h?):$/.test(url.protocol)) {
    throw new ProductError(storeErrors.hubSettingInvalid, {
      message: `${name} is ${JSON.stringify(withoutSecrets(text))}, which is not a proxy address.`,
      hint: "Use an address such as http://proxy.example:3128.",
    });
  }
  // The h asks the proxy to resolve names, which it does anyway.
  return url.href.replace(/^socks5?h?:/, "socks5:");
}

/** Removes name and password from an address. */
export function withoutSecrets(address: string): string {
  return address.replace(/^([^/]*\/\/)?[^/@]*@/, "$1");
}
