// Applications of this server on a Ray cluster. Serve knows only the whole list, so changes are
// collected and sent one after another, each with the applications of others as they are.
import type { RayClient } from "./ray-client.ts";
import type { ServeApplication, ServeState } from "./ray-documents.ts";
import { ownPrefix } from "./serve-application.ts";

export interface ServeApplicationsOptions {
  client: Pick<RayClient, "serve" | "deploy">;
  owner: string;
  /** Address that Serve's proxy opens with the first application of the cluster. */
  proxy: { listenHost: string; port: number };
}

export class ServeApplications {
  readonly #options: ServeApplicationsOptions;
  /** Wanted applications by name; undefined: as the cluster has it. */
  readonly #wanted = new Map<string, ServeApplication | undefined>();
  /** Change that has not begun, which later callers join. */
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(options: ServeApplicationsOptions) {
    this.#options = options;
  }

  /** Keeps an application that an earlier control plane has made. */
  keep(name: string): void {
    this.#wanted.set(name, undefined);
  }

  /** Resolves when the cluster has accepted the application, which then starts. */
  async add(application: ServeApplication): Promise<void> {
    this.#wanted.set(application.name, application);
    try {
      await this.#send();
    } catch (error) {
      this.#wanted.delete(application.name);
      throw error;
    }
  }

  /** Resolves when the cluster has accepted the removal, which then begins. */
  async remove(name: string): Promise<void> {
    this.#wanted.delete(name);
    await this.#send();
  }

  /** Forgets an application that the cluster has lost. */
  drop(name: string): void {
    this.#wanted.delete(name);
  }

  /** Removes applications of this server that nobody wants, such as those of a failed change. */
  async removeOthers(state: ServeState): Promise<void> {
    const isOther = ([name, { status }]: [string, { status: string }]) =>
      this.#isOurs(name) && !this.#wanted.has(name) && status !== "DELETING";
    if (Object.entries(state.applications).some(isOther)) await this.#send();
  }

  async #send(): Promise<void> {
    if (this.#next === undefined) {
      const earlier = this.#last;
      const next = (async () => {
        await earlier.catch(() => {}); // its own callers are told
        this.#next = undefined;
        await this.#deploy();
      })();
      this.#next = next;
      this.#last = next;
    }
    await this.#next;
  }

  async #deploy(): Promise<void> {
    const { client, proxy } = this.#options;
    const { applications } = await client.serve();
    const present = Object.entries(applications).flatMap(([name, { deployed_app_config }]) => {
      // Others may be deployed from Python, which Serve keeps by itself.
      if (deployed_app_config === null || deployed_app_config === undefined) return [];
      if (this.#isOurs(name) && !this.#wanted.has(name)) return [];
      return [{ ...deployed_app_config, name }];
    });
    const names = new Set(present.map(({ name }) => name));
    const added = [...this.#wanted.values()].filter(
      (application) => application !== undefined && !names.has(application.name),
    );
    await client.deploy({
      proxy_location: "HeadOnly",
      http_options: { host: proxy.listenHost, port: proxy.port },
      applications: [...present, ...added.filter((application) => application !== undefined)],
    });
  }

  #isOurs(name: string): boolean {
    return name.startsWith(ownPrefix(this.#options.owner));
  }
}
