// The server's keys for the command that manages them.
import type { ProductPaths } from "../configuration/paths.ts";
import {
  type KeyRecord,
  type KeyRole,
  type KeyState,
  keyRoles,
  keyState,
} from "../keys/key-record.ts";
import { KeyStore } from "../keys/key-store.ts";
import { keysFile } from "./key-policy.ts";

export { type KeyRecord, type KeyRole, type KeyState, keyRoles, keyState };

export function openServerKeys(
  paths: Pick<ProductPaths, "data">,
  log: (text: string) => void,
): KeyStore {
  return new KeyStore(keysFile(paths), log);
}
