// Browser access: allowed origins, and protection against DNS rebinding.
import { hostname, networkInterfaces } from "node:os";
import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { networks } from "../../base/networks.ts";
import { ProductError } from "../../base/product-error.ts";
import { wildcardPattern } from "../../base/quoting.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { serverErrors } from "../errors.ts";
import { leftOutHeader } from "../routes/tool-fields.ts";
import { warningHeader } from "../warnings.ts";

const localOrigin = /^https?:\/\/(localhost|127\.0\.0\.1|0\.0\.0\.0)(:\d+)?$/i;
const applicationOrigins = [
  "app://*",
  "file://*",
  "tauri://*",
  "vscode-webview://*",
  "vscode-file://*",
  "chrome-extension://*",
  "safari-web-extension://*",
  "moz-extension://*",
  "ms-browser-extension://*",
];
const allowedHeaders = [
  "Authorization",
  "Content-Type",
  "User-Agent",
  "Accept",
  "X-Requested-With",
  "OpenAI-Beta",
  "x-stainless-lang",
  "x-stainless-package-version",
  "x-stainless-os",
  "x-stainless-arch",
  "x-stainless-retry-count",
  "x-stainless-runtime",
  "x-stainless-runtime-version",
  "x-stainless-async",
  "x-stainless-helper-method",
  "x-stainless-poll-helper",
  "x-stainless-custom-poll-interval",
  "x-stainless-timeout",
  // Ours and those of Anthropic's client.
  "x-api-key",
  "anthropic-version",
  "anthropic-beta",
  "anthropic-dangerous-direct-browser-access",
];
/** Further reply headers that a page may read. */
const exposedHeaders = [
  "x-request-id",
  "request-id",
  "retry-after",
  "x-modelctl-truncated",
  warningHeader,
  leftOutHeader,
];

/**
 * @param names further origins, which may contain `*`, and further names of this machine
 * @param isLoopbackBound true if only this machine can reach the server: then the Host header is checked
 */
export async function guardOrigins(
  app: FastifyInstance,
  names: Pick<ServerDependencies, "origins" | "allowedHosts">,
  isLoopbackBound: () => boolean,
): Promise<void> {
  const listed = [...applicationOrigins, ...names.origins];
  const patterns = [
    localOrigin,
    ...listed.map((origin) => new RegExp(`^${wildcardPattern(origin)}$`, "i")),
  ];
  const isAllowed = (origin: string) => patterns.some((pattern) => pattern.test(origin));
  const hosts = new Set([...ownNames(), ...names.allowedHosts.map((name) => name.toLowerCase())]);
  app.addHook("onRequest", async (request, reply) => {
    const { host = "", origin = "" } = request.headers;
    if (isLoopbackBound() && !isLocalHost(host, hosts)) throw hostRefused(host);
    if (origin === "" || isOwnOrigin(origin, host) || isAllowed(origin)) return;
    return await reply.code(403).send();
  });
  await app.register(cors, {
    origin: (origin, decide) => decide(null, origin !== undefined && isAllowed(origin)),
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
    allowedHeaders,
    exposedHeaders,
    maxAge: 12 * 60 * 60,
    strictPreflight: false,
  });
}

function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/** Names by which containers reach their host. */
const containerHosts = [
  "host.docker.internal",
  "gateway.docker.internal",
  "host.containers.internal",
];

function ownNames(): string[] {
  const own = hostname().toLowerCase();
  const [first = own] = own.split(".");
  // Multicast DNS uses the first label of the machine's name.
  return ["localhost", ...containerHosts, own, first, `${first}.local`];
}

/** Tells loopback, private, link-local and unspecified addresses. */
const isPrivate = networks(
  "127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 169.254.0.0/16 0.0.0.0/32",
  "::/127 fc00::/7 fe80::/10",
);

/** Accepts names and addresses that an attacker's DNS cannot point at this machine. */
function isLocalHost(header: string, names: ReadonlySet<string>): boolean {
  const host = header
    .replace(/:\d+$/, "")
    .replace(/^\[|\]$/g, "")
    .toLowerCase();
  if (host === "" || names.has(host) || /^[^%]+\.localhost$/.test(host)) return true;
  // Any text after % counts as an address's zone.
  return !host.includes("%") && (isPrivate(host) || ownAddresses().includes(host));
}

function hostRefused(host: string): ProductError {
  return new ProductError(serverErrors.hostRefused, {
    message: `The Host header "${host.slice(0, 100)}" is not a name of this machine.`,
    hint: "Call it by localhost or its address, or add the name to allowed_hosts (MODELCTL_ALLOWED_HOSTS).",
  });
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address),
  );
}
