// All error tables, and look-up of a code received over HTTP.
import { agentErrors } from "../agents/errors.ts";
import { keyErrors } from "../api-keys/errors.ts";
import type { ErrorDefinition } from "../base/product-error.ts";
import { sessionErrors } from "../chat/errors.ts";
import { attachmentErrors, clientErrors } from "../client/errors.ts";
import { cloudErrors } from "../cloud/errors.ts";
import { configurationErrors } from "../configuration/errors.ts";
import { engineErrors } from "../engine/errors.ts";
import { promptErrors } from "../prompt/errors.ts";
import { requestLogErrors } from "../request-log/errors.ts";
import { serverErrors } from "../server/errors.ts";
import { storeErrors } from "../store/errors.ts";
import { tlsErrors } from "../tls/errors.ts";
import { toolErrors } from "../tools/errors.ts";

export const errorTables: ReadonlyArray<{
  title: string;
  table: Readonly<Record<string, ErrorDefinition>>;
}> = [
  { title: "Models on disk", table: storeErrors },
  { title: "Prompts", table: promptErrors },
  { title: "Engine", table: engineErrors },
  { title: "Server", table: serverErrors },
  { title: "Keys", table: keyErrors },
  { title: "Request log", table: requestLogErrors },
  { title: "Reaching a server", table: clientErrors },
  { title: "Attached files", table: attachmentErrors },
  { title: "Saved chats", table: sessionErrors },
  { title: "Tools", table: toolErrors },
  { title: "Coding agents", table: agentErrors },
  { title: "Deployments", table: cloudErrors },
  { title: "Settings", table: configurationErrors },
  { title: "HTTPS", table: tlsErrors },
];

const byCode = new Map(
  errorTables
    .flatMap(({ table }) => Object.values(table))
    .map((definition) => [definition.code, definition]),
);

export function findErrorDefinition(code: string | undefined): ErrorDefinition | undefined {
  return code === undefined ? undefined : byCode.get(code);
}
