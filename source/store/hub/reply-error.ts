// Explains the hub's refusals: gated, private, not found, too many requests, server error.
import type { IncomingHttpHeaders } from "node:http";
import { toOneLine } from "../../base/display-text.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { HubSettings } from "./hub-settings.ts";
import { RetryableError } from "./retry.ts";

export interface RefusedReply {
  status: number;
  headers: IncomingHttpHeaders;
  url: string;
}

/** Most characters quoted from the hub's message. */
const maxWords = 300;

/** The requested repository or file. */
export interface HubTarget {
  /** `owner/name` */
  repo: string;
  revision: string;
  /** A file of the repository. */
  path?: string;
}

/**
 * Explains a refusal. The hub names the reason in `X-Error-Code` and `X-Error-Message`; without a
 * token it also answers 401 for a repository that does not exist.
 */
export function replyError(
  reply: RefusedReply,
  target: HubTarget,
  settings: HubSettings,
): ProductError {
  const { status } = reply;
  const page = `${settings.endpoint}/${target.repo}`;
  const reason = headerText(reply.headers, "x-error-code");
  if (reason === "GatedRepo") return gated(reply, page, target, settings);
  if (status === 401 || (status === 404 && reason === "RepoNotFound")) {
    return settings.token !== undefined && status === 401 && reason !== "RepoNotFound"
      ? tokenRefused(settings, page)
      : notShown(target, settings);
  }
  if (status === 403 || status === 451) {
    return new ProductError(storeErrors.hubUnauthorised, {
      message: `The hub refuses access to ${target.repo} (status ${status})${saidBy(reply)}.`,
      hint: `See ${page} for access. ${tokenAdvice(settings)}`,
    });
  }
  if (status === 404 && reason === "RevisionNotFound") {
    return new ProductError(storeErrors.hubRevisionNotFound, {
      message: `${target.repo} has no revision ${JSON.stringify(target.revision)}.`,
      hint: `See ${page}/commits for branches, tags and commits.`,
    });
  }
  if (status === 404 || status === 410) {
    return target.path === undefined ? notShown(target, settings) : fileNotFound(target, page);
  }
  return serviceError(reply, settings);
}

/** Quotes the hub's message, such as the permission that a token lacks. */
function saidBy({ headers }: RefusedReply): string {
  const words = toOneLine(headerText(headers, "x-error-message")).trim().replace(/\.+$/, "");
  return words === "" ? "" : `: ${words.slice(0, maxWords)}`;
}

/** Explains a refusal that does not concern a repository. */
export function serviceError(reply: RefusedReply, settings: HubSettings): ProductError {
  const { status } = reply;
  if (status === 429) return rateLimited(reply, settings);
  if (status >= 500 || status === 408) return failing(reply);
  return new ProductError(storeErrors.hubReplyInvalid, {
    message: `${new URL(reply.url).host} answered with the unexpected status ${status}.`,
    hint: "Check HF_ENDPOINT and the proxy variables.",
  });
}

function gated(
  reply: RefusedReply,
  page: string,
  target: HubTarget,
  settings: HubSettings,
): ProductError {
  const words = saidBy(reply);
  return new ProductError(storeErrors.hubGated, {
    message: `${target.repo} is gated: accept its terms on the hub first.`,
    hint:
      settings.token === undefined
        ? `Accept the terms at ${page}, then set a token: ${howToSetToken(settings)}`
        : `Accept the terms at ${page} with the account of the token from ${settings.token.source}.${words && ` The hub says${words}.`}`,
  });
}

function tokenRefused(settings: HubSettings, page: string): ProductError {
  return new ProductError(storeErrors.hubUnauthorised, {
    message: `The hub rejects the token from ${settings.token?.source}.`,
    hint: `It may have expired. Create a new one at ${settings.endpoint}/settings/tokens, or remove it if ${page} is public.`,
  });
}

function notShown(target: HubTarget, settings: HubSettings): ProductError {
  return new ProductError(storeErrors.hubRepositoryNotFound, {
    message: `The repository ${target.repo} does not exist on ${new URL(settings.endpoint).host}, or it is private.`,
    hint: `Check the owner and the name. ${tokenAdvice(settings)}`,
  });
}

function fileNotFound(target: HubTarget, page: string): ProductError {
  return new ProductError(storeErrors.hubFileNotFound, {
    message: `${target.repo} has no file ${JSON.stringify(target.path)}.`,
    hint: `See ${page}/tree/${encodeURIComponent(target.revision)} for its files.`,
  });
}

function rateLimited(reply: RefusedReply, settings: HubSettings): ProductError {
  const seconds = retryAfterSeconds(reply.headers);
  return new RetryableError(storeErrors.hubRateLimited, {
    message: `${new URL(reply.url).host} limits the request rate${seconds === undefined ? "" : ` (again in ${seconds} s)`}.`,
    hint:
      settings.token === undefined
        ? `Wait, or set a token for a higher limit: ${howToSetToken(settings)}`
        : "Wait, then run the command again to resume.",
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  });
}

function failing(reply: RefusedReply): ProductError {
  const seconds = retryAfterSeconds(reply.headers);
  return new RetryableError(storeErrors.hubFailing, {
    message: `${new URL(reply.url).host} failed to answer (status ${reply.status}).`,
    hint: "Try again later; a download resumes.",
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  });
}

export function tokenAdvice(settings: HubSettings): string {
  if (settings.token !== undefined) {
    return `If it is private, the token from ${settings.token.source} has no access to it.`;
  }
  return `If it is private, set a token: ${howToSetToken(settings)}`;
}

function howToSetToken(settings: HubSettings): string {
  const problem = settings.tokenProblem === undefined ? "" : ` ${settings.tokenProblem}`;
  return `export HF_TOKEN=hf_... (from ${settings.endpoint}/settings/tokens), or run hf auth login, which also works for a running server.${problem}`;
}

/** `Retry-After` in seconds or as a date, else the hub's `RateLimit: "api";r=0;t=55`. */
export function retryAfterSeconds(headers: IncomingHttpHeaders): number | undefined {
  const text = headerText(headers, "retry-after");
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  if (!Number.isNaN(date)) return Math.max(0, Math.ceil((date - Date.now()) / 1000));
  const reset = /;\s*t=(\d+)/.exec(headerText(headers, "ratelimit"))?.[1];
  return reset === undefined ? undefined : Number(reset);
}

export function headerText(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(", ") : value) ?? "";
}
