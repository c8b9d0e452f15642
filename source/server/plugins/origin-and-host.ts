// Who may call from a browser: allowed origins, and protection against DNS rebinding.
import { hostname, networkInterfaces } from "node:os";
import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

const localOrigins = ["localhost", "127.0.0.1", "0.0.0.0"].flatMap((host) =>
  ["http", "https"].flatMap((scheme) => [`${scheme}://${host}`, `${scheme}://${host}:*`]),
);
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
];

/**
 * @param more further origins, `*` standing for anything
 * @param isLoopbackBound whether only this machine can reach the server: then the Host header is checked
 */
export async function guardOrigins(
  app: FastifyInstance,
  more: readonly string[],
  isLoopbackBound: () => boolean,
): Promise<void> {
  const patterns = [...localOrigins, ...applicationOrigins, ...more].map(wildcardPattern);
  const isAllowed = (origin: string) => patterns.some((pattern) => pattern.test(origin));
  app.addHook("onRequest", async (request, reply) => {
    const { host = "", origin } = request.headers;
    if (isLoopbackBound() && !isLocalHost(host)) return await reply.code(403).send();
    if (origin === undefined || isOwnOrigin(origin, host) || isAllowed(origin)) return;
    return await reply.code(403).send();
  });
  await app.register(cors, {
    origin: (origin, decide) => decide(null, origin !== undefined && isAllowed(origin)),
    methods: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
    allowedHeaders,
    maxAge: 12 * 60 * 60,
    strictPreflight: false,
  });
}

function wildcardPattern(origin: string): RegExp {
  const parts = origin.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "i");
}

function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

const localNames = /^(localhost|.*\.(localhost|local|internal))$/i;
const privateAddress =
  /^(127\.|10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|0\.0\.0\.0$|::1?$|f[cd]|fe80:)/i;

/** A name that an attacker's DNS cannot point at this machine. */
function isLocalHost(header: string): boolean {
  const host = header.replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  if (host === "" || localNames.test(host) || host.toLowerCase() === hostname().toLowerCase()) {
    return true;
  }
  if (!/^[\d.]+$|:/.test(host)) return false;
  return privateAddress.test(host) || ownAddresses().includes(host);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address),
  );
}
