// A server that requires keys, with its own key file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { KeyRole } from "../../source/api-keys/key-record.ts";
import type { KeyStore } from "../../source/api-keys/key-store.ts";
import { openServerKeys } from "../../source/application/local-server/server-keys.ts";
import type { Settings } from "../../source/configuration/settings.ts";
import { TestServer } from "./test-server.ts";

export class KeyedServer {
  readonly server: TestServer;
  readonly keys: KeyStore;
  readonly folder: string;

  private constructor(server: TestServer, keys: KeyStore, folder: string) {
    this.server = server;
    this.keys = keys;
    this.folder = folder;
  }

  static async start(changes: Partial<Settings> = {}): Promise<KeyedServer> {
    const folder = mkdtempSync(path.join(tmpdir(), "modelctl-keyed-"));
    const paths = { data: folder, cache: folder };
    const server = await TestServer.start({ require_key: true, ...changes }, { paths });
    return new KeyedServer(
      server,
      openServerKeys(paths, () => {}),
      folder,
    );
  }

  /** A new key's token. */
  token(role: KeyRole = "infer"): string {
    return this.keys.create({ name: "test", role, expiresAt: undefined }).token;
  }

  async close(): Promise<void> {
    await this.server.close();
    this.keys.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
