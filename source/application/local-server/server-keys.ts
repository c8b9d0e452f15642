// The server's keys: where they are stored, and if a server requires one.
import path from "node:path";
import { KeyStore } from "../../api-keys/key-store.ts";
import { ProductError } from "../../base/product-error.ts";
import { isLoopback, type ServerAddress } from "../../configuration/address.ts";
import type { ProductPaths } from "../../configuration/paths.ts";
import type { Settings } from "../../configuration/settings.ts";
import { serverErrors } from "../../server/errors.ts";

export function openServerKeys(
  { data }: Pick<ProductPaths, "data">,
  log: (text: string) => void,
): KeyStore {
  return new KeyStore(path.join(data, "keys.db"), log);
}

export interface KeyPolicy {
  isRequired: boolean;
  /** Tells at the server's start who can use it. */
  notice: string | undefined;
}

/**
 * Decides if a server requires keys, so that none is open to other machines by accident.
 *
 * @param address undefined: the default one, which only this machine reaches
 * @throws ProductError `SERVER_NO_KEY` if other machines could use it without a key
 */
export function keyPolicy(
  settings: Pick<Settings, "require_key" | "insecure_no_key">,
  address: ServerAddress | undefined,
  keys: Pick<KeyStore, "hasActive"> | undefined,
): KeyPolicy {
  const { require_key: wanted, insecure_no_key: mayBeOpen } = settings;
  if (address === undefined || isLoopback(address.host)) {
    return { isRequired: wanted === true, notice: undefined };
  }
  const where = `${address.host}:${address.port}`;
  const isRequired = wanted === true || (wanted === "auto" && !mayBeOpen);
  if (!isRequired && !mayBeOpen) {
    throw new ProductError(serverErrors.noKey, {
      message: `${where} is open to other machines and require_key is false: anybody could use this server.`,
      hint: "Remove require_key, or use --insecure-no-key.",
    });
  }
  if (!isRequired) {
    return { isRequired, notice: `Anybody who can reach ${where} can use this server.` };
  }
  if (!mayBeOpen && keys?.hasActive() !== true) {
    throw new ProductError(serverErrors.noKey, {
      message: `${where} is open to other machines, but no key exists.`,
      hint: "Create one with modelctl keys create, or use --insecure-no-key to let anybody in.",
    });
  }
  return {
    isRequired,
    notice: `Requests to ${where} need a key, except from your own commands.`,
  };
}
