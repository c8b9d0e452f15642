// A server with its own model store, in a folder that other programs can read.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ollama } from "ollama";
import type { HostOptions } from "../../source/application/local-server/server-host.ts";
import type { Settings } from "../../source/configuration/settings.ts";
import { tinyFile } from "./command-line.ts";
import { entriesOf } from "./model-store.ts";
import { TestServer } from "./test-server.ts";

export class StoreServer {
  readonly server: TestServer;
  /** Ollama's own client library. */
  readonly client: Ollama;
  /** Holds the store and the files that clients may name. */
  readonly folder: string;

  private constructor(server: TestServer, folder: string) {
    this.server = server;
    this.client = new Ollama({ host: server.url });
    this.folder = folder;
  }

  /** @param changes and more as `TestServer.start` takes them */
  static async start(
    changes: Partial<Settings> = {},
    more: Partial<HostOptions> = {},
  ): Promise<StoreServer> {
    const folder = mkdtempSync(path.join(tmpdir(), "modelctl-store-server-"));
    mkdirSync(path.join(folder, "files"));
    const own = {
      models: path.join(folder, "models"),
      model_folders: [path.join(folder, "files")],
    };
    const server = await TestServer.start({ ...own, ...changes }, more);
    return new StoreServer(server, folder);
  }

  async close(): Promise<void> {
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The path of a file that clients may name. */
  at(name: string): string {
    return path.join(this.folder, "files", name);
  }

  /** A copy of the tiny model that clients may name. */
  tinyAt(name: string): string {
    copyFileSync(tinyFile, this.at(name));
    return this.at(name);
  }

  /** Names of the blobs in the store, of whole ones and of unfinished ones. */
  blobs(): string[] {
    return entriesOf(path.join(this.folder, "models", "blobs"));
  }

  async names(): Promise<string[]> {
    return (await this.client.list()).models.map(({ name }) => name).sort();
  }
}
