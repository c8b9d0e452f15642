// Error replies of a server with OpenAI's protocol.
import { isRecord } from "../base/json-record.ts";
import { ServerRefusal } from "./api-client.ts";

/** Reads OpenAI's form of an error, and that of the gateway. */
export function readRefusal(status: number, path: string, text: string): ServerRefusal {
  const body = parseJson(text);
  const error = isRecord(body) ? (body.error ?? body.detail) : undefined;
  const message = isRecord(error) ? error.message : error;
  const code = isRecord(error) && typeof error.code === "string" ? error.code : undefined;
  const fallback = `The deployment answered ${status} to ${path}.`;
  return new ServerRefusal(status, code, typeof message === "string" ? message : fallback);
}

/** @returns undefined for text that is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
