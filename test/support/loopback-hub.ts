// A hub of our own on loopback, for tests and measurements: lists and resolves like huggingface.co,
// redirects large files to a file storage on another port, and misbehaves on demand.
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { sendBody } from "./loopback-hub-body.ts";
import { loopbackCertificate } from "./loopback-hub-certificate.ts";
import { type HubContent, type ServedContent, serveContent } from "./loopback-hub-content.ts";
import { listingPage, searchResults } from "./loopback-hub-listing.ts";
import {
  type HubFault,
  type HubFaults,
  type HubRequest,
  RequestLog,
} from "./loopback-hub-requests.ts";

export interface HubRepository {
  /** By path in the repository. */
  files: Record<string, HubContent>;
  /** Paths of files that the hub keeps in git: no hash is listed, and no redirect leads away. */
  inGit?: readonly string[];
  /** `gated`: listed for everybody, its files for `readers`; `private`: not there for others. */
  access?: "public" | "gated" | "private";
  /** Tokens that may read it. */
  readers?: readonly string[];
  /** Search facts besides its name, such as `downloads` or `gguf`. */
  facts?: Record<string, unknown>;
}

export interface LoopbackHubOptions {
  /** By `owner/name`. */
  repositories: Record<string, HubRepository>;
  /** Entries of one page of a listing. Defaults to 1000, as on the hub. */
  pageSize?: number;
  faults?: HubFaults;
  /** False file sizes that the hub reports. By path. */
  listedSizes?: Record<string, number>;
  /** New names of repositories by their old ones. */
  renamed?: Record<string, string>;
  /** Uses TLS, with `loopbackCertificate`. */
  isSecure?: boolean;
  /** Serves all files itself, as simple mirrors do. */
  noStorage?: boolean;
  /** Address of another server to redirect to, which has the files under `owner/name/`. */
  otherStorage?: string | undefined;
}

export interface LoopbackHub {
  /** For `HF_ENDPOINT`. */
  url: string;
  /** Where files are redirected to. */
  storageUrl: string;
  requests: HubRequest[];
  /** Changes what goes wrong from now on. */
  setFaults(faults: HubFaults | undefined): void;
  /** Replaces a file, the commit staying the same. */
  setFile(repo: string, path: string, content: HubContent): Promise<void>;
  /** The hash that is listed for a file. */
  sha256Of(repo: string, path: string): string;
  /** The commit of a repository, which is that of its only branch `main`. */
  commitOf(repo: string): string;
  close(): Promise<void>;
}

export async function startLoopbackHub(options: LoopbackHubOptions): Promise<LoopbackHub> {
  const hub = new Hub(options);
  await hub.start();
  return hub;
}

class Hub implements LoopbackHub {
  url = "";
  storageUrl = "";
  readonly #options: LoopbackHubOptions;
  readonly #contents = new Map<string, ServedContent>();
  readonly #log = new RequestLog();
  readonly #servers: Server[] = [];
  #faults: HubFaults | undefined;

  constructor(options: LoopbackHubOptions) {
    this.#options = options;
    this.#faults = options.faults;
  }

  async start(): Promise<void> {
    for (const [repo, { files }] of Object.entries(this.#options.repositories)) {
      for (const [path, content] of Object.entries(files)) await this.setFile(repo, path, content);
    }
    this.url = await this.#listen("hub");
    this.storageUrl = await this.#listen("storage");
  }

  get requests(): HubRequest[] {
    return this.#log.list;
  }

  setFaults(faults: HubFaults | undefined): void {
    this.#faults = faults;
  }

  async setFile(repo: string, path: string, content: HubContent): Promise<void> {
    this.#contents.set(`${repo}/${path}`, await serveContent(content));
  }

  sha256Of(repo: string, path: string): string {
    return this.#content(repo, path)?.sha256 ?? "";
  }

  commitOf(repo: string): string {
    return createHash("sha1").update(`commit of ${repo}`).digest("hex");
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
  }

  async #listen(name: HubRequest["server"]): Promise<string> {
    const { isSecure = false } = this.#options;
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      response.on("error", () => {}); // clients leave whenever they like
      void this.#answer(name, request, response);
    };
    const server = isSecure
      ? createSecureServer(loopbackCertificate, answer)
      : createServer(answer);
    this.#servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return `${isSecure ? "https" : "http"}://127.0.0.1:${address.port}`;
  }

  async #answer(
    server: HubRequest["server"],
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const url = new URL(incoming.url ?? "/", "http://hub");
    const range = /^bytes=(\d+)-(\d+)$/.exec(incoming.headers.range ?? "");
    const { authorization } = incoming.headers;
    const request = this.#log.add({
      server,
      method: incoming.method ?? "",
      path: decodeURIComponent(url.pathname),
      clientPort: incoming.socket.remotePort,
      ...(range !== null && { range: { start: Number(range[1]), end: Number(range[2]) + 1 } }),
      ...(authorization !== undefined && { authorization }),
    });
    const fault = this.#faults?.(request) ?? {};
    if (fault.status !== undefined) {
      response.writeHead(fault.status, fault.headers).end(fault.body);
    } else if (server === "storage") {
      await this.#sendFile(request, response, this.#contents.get(request.path.slice(1)), fault);
    } else {
      await this.#answerHub(url, request, response, fault);
    }
  }

  async #answerHub(
    url: URL,
    request: HubRequest,
    response: ServerResponse,
    fault: HubFault,
  ): Promise<void> {
    if (request.path === "/api/models") {
      sendJson(response, searchResults(this.#options.repositories, url.searchParams));
      return;
    }
    const [, repo = "", kind, revision = "", path = ""] =
      /^\/api\/models\/([^/]+\/[^/]+)\/(tree|revision)\/([^/]+)()$/.exec(request.path) ??
      /^\/([^/]+\/[^/]+)\/(resolve)\/([^/]+)\/(.+)$/.exec(request.path) ??
      [];
    const newName = this.#options.renamed?.[repo];
    if (newName !== undefined) {
      const location = `${url.pathname.replace(repo, newName)}${url.search}`;
      response.writeHead(307, { location }).end(`Temporary Redirect. Redirecting to ${location}`);
      return;
    }
    const refusal = this.#refusal(repo, revision, kind === "resolve", request.authorization);
    if (refusal !== undefined) {
      const { status, code } = refusal;
      response.writeHead(status, { "x-error-code": code, "content-type": "application/json" });
      response.end(JSON.stringify({ error: code }));
    } else if (kind === "revision") {
      sendJson(response, { sha: this.commitOf(repo) });
    } else if (kind === "tree") {
      this.#sendTree(repo, url, response);
    } else {
      await this.#resolve(repo, path, request, response, fault);
    }
  }

  /** As the hub does: without a token, what is private and what does not exist look the same. */
  #refusal(
    repo: string,
    revision: string,
    isFile: boolean,
    authorization: string | undefined,
  ): { status: number; code: string } | undefined {
    const { repositories } = this.#options;
    const repository = repositories[repo];
    const token = authorization?.replace(/^Bearer /, "");
    const known = Object.values(repositories).flatMap(({ readers }) => readers ?? []);
    if (token !== undefined && !known.includes(token)) return { status: 401, code: "" };
    const { access = "public", readers = [] } = repository ?? {};
    const mayRead = token !== undefined && readers.includes(token);
    if (repository === undefined || (access === "private" && !mayRead)) {
      return { status: token === undefined ? 401 : 404, code: "RepoNotFound" };
    }
    if (access === "gated" && isFile && !mayRead) {
      return { status: token === undefined ? 401 : 403, code: "GatedRepo" };
    }
    if (revision !== "main" && revision !== this.commitOf(repo)) {
      return { status: 404, code: "RevisionNotFound" };
    }
    return undefined;
  }

  #sendTree(repo: string, url: URL, response: ServerResponse): void {
    const { pageSize = 1000, listedSizes = {} } = this.#options;
    const prefix = `${repo}/`;
    const files = [...this.#contents].flatMap(([key, { sizeBytes, sha256 }]) => {
      if (!key.startsWith(prefix)) return [];
      const path = key.slice(prefix.length);
      const size = listedSizes[path] ?? sizeBytes;
      return [{ path, size, ...(!this.#isInGit(repo, path) && { sha256 }) }];
    });
    const { entries, link } = listingPage(files, url, pageSize);
    if (link !== undefined) response.setHeader("link", link);
    sendJson(response, entries);
  }

  async #resolve(
    repo: string,
    path: string,
    request: HubRequest,
    response: ServerResponse,
    fault: HubFault,
  ): Promise<void> {
    const content = this.#content(repo, path);
    if (content === undefined) {
      response.writeHead(404, { "x-error-code": "EntryNotFound" }).end();
      return;
    }
    response.setHeader("x-repo-commit", this.commitOf(repo));
    const isInGit = this.#isInGit(repo, path);
    if (isInGit || this.#options.noStorage) {
      await this.#sendFile(request, response, content, fault);
      return;
    }
    response.writeHead(302, {
      "x-linked-size": this.#options.listedSizes?.[path] ?? content.sizeBytes,
      "x-linked-etag": `"${content.sha256}"`,
      location: `${this.#options.otherStorage ?? this.storageUrl}/${repo}/${path.split("/").map(encodeURIComponent).join("/")}?signature=secret`,
    });
    response.end();
  }

  async #sendFile(
    request: HubRequest,
    response: ServerResponse,
    content: ServedContent | undefined,
    fault: HubFault,
  ): Promise<void> {
    if (content === undefined) {
      response.writeHead(404).end();
      return;
    }
    const { sizeBytes } = content;
    const isRange = request.range !== undefined && !fault.ignoreRange;
    const { start, end } = (isRange && request.range) || { start: 0, end: sizeBytes };
    const last = Math.min(end, sizeBytes);
    const claimed = fault.claimedSizeBytes ?? sizeBytes;
    response.writeHead(isRange ? 206 : 200, {
      "accept-ranges": fault.ignoreRange ? "none" : "bytes",
      etag: `"${fault.etag ?? content.sha256.slice(0, 32)}"`,
      "content-length": isRange ? last - start : claimed,
      ...(isRange && { "content-range": `bytes ${start}-${last - 1}/${claimed}` }),
      ...fault.headers,
    });
    if (request.method === "HEAD") response.end();
    else await sendBody(response, content, { start, end: last }, request, fault);
  }

  #content(repo: string, path: string): ServedContent | undefined {
    return this.#contents.get(`${repo}/${path}`);
  }

  #isInGit(repo: string, path: string): boolean {
    return this.#options.repositories[repo]?.inGit?.includes(path) ?? false;
  }
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}
