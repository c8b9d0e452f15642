// A control plane for the screens: its admin client, and work on this machine.
import { readFileSync } from "node:fs";
import { callKey, machineCapacity } from "../../application/deploying/app-facts.ts";
import { shownModel } from "../../base/display-text.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { ServerRefusal } from "../../client/api-client.ts";
import { sendRequest } from "../../client/http-request.ts";
import { type EndpointConnection, OpenAiEndpoint } from "../../client/openai-endpoint.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type {
  DeployEvent,
  DeploymentRequest,
  EphemeralEvent,
  ServerStatus,
} from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import type {
  CallableApp,
  ChatApp,
  CloudServer,
  CloudTarget,
  DeploymentBackend,
  MachineCapacity,
  TestStep,
} from "../../ui/app/cloud-access.ts";
import { callLines, certificateOf } from "./deploy-summary.ts";
import { DeploymentChat } from "./deployment-chat.ts";
import { type Session, settingOf } from "./session.ts";
import { clientOf, ensureCloudServer } from "./target.ts";

const testQuestion = "Say hello in one sentence.";
const testAnswerTokens = 32;
const firstServerError = 500;

export class ScreenServer implements CloudServer {
  readonly target: CloudTarget;
  readonly session: Session;
  /** Keys by app, kept while this program runs. */
  readonly #tokens = new Map<string, Promise<string | undefined>>();

  constructor(session: Session, target: CloudTarget) {
    this.session = session;
    this.target = target;
  }

  /** Created for each call, so that a missing key is reported where it is needed. */
  get client(): AdminClient {
    return clientOf(this.session);
  }

  async start(): Promise<ServerStatus> {
    await this.#ensure();
    return await this.client.status();
  }

  async capacity(): Promise<MachineCapacity | undefined> {
    return this.target.isLocal ? await machineCapacity(this.session.stateFolder) : undefined;
  }

  async *deploy(request: DeploymentRequest, signal?: AbortSignal): AsyncGenerator<DeployEvent> {
    await this.#ensure();
    yield* this.client.deploy(request, signal);
  }

  async *run(request: DeploymentRequest, signal: AbortSignal): AsyncGenerator<EphemeralEvent> {
    await this.#ensure();
    yield* this.client.ephemeral(request, signal);
  }

  openChat({ app, url }: ChatApp, token?: string): DeploymentBackend {
    const { profile } = this.target;
    let given = token;
    const connect = async (isRefused: boolean) => {
      // Its address and authentication may have changed.
      const current = await this.client.app(app);
      if (current.activeRevision === undefined) throw notServed(app, current.reason);
      if (isRefused) {
        given = undefined;
        this.#tokens.delete(tokenName(current));
      }
      const model = modelOf(current);
      return { ...(await this.#connectionOf(current, given)), model };
    };
    return new DeploymentChat({ deployment: { profile, app, url }, connect });
  }

  async testApp(app: CallableApp, token?: string, signal?: AbortSignal): Promise<TestStep[]> {
    const connection = await this.#connectionOf(app, token);
    const model = modelOf(app);
    return model === undefined
      ? await testServer(connection, signal)
      : await testChat(connection, model, signal);
  }

  callLines(app: CallableApp): readonly string[] {
    return callLines(app, certificateOf(this.session, app.url));
  }

  async #connectionOf(app: CallableApp, given: string | undefined): Promise<EndpointConnection> {
    const token = given ?? (await this.#tokenFor(app));
    const certificate = certificateOf(this.session, app.url);
    return {
      url: app.url,
      authorization: token === undefined ? undefined : `Key ${token}`,
      certificateAuthority:
        certificate === undefined ? undefined : readFileSync(certificate, "utf8"),
    };
  }

  async #tokenFor(app: CallableApp): Promise<string | undefined> {
    const name = tokenName(app);
    const known = this.#tokens.get(name);
    if (known !== undefined) return await known;
    const own = [process.env.DEPLOYCTL_KEY, settingOf(this.session, "key")];
    const made = callKey(this.client, app, own);
    this.#tokens.set(name, made);
    // A failed attempt is repeated.
    made.catch(() => this.#tokens.delete(name));
    return await made;
  }

  async #ensure(): Promise<void> {
    if (this.target.isLocal) await ensureCloudServer(this.session);
  }
}

function modelOf({ api }: CallableApp): string | undefined {
  return api.kind === "openai" ? api.model : undefined;
}

function tokenName({ organisation, app, auth }: CallableApp): string {
  return `${organisation}/${app} ${auth}`;
}

function notServed(app: string, reason = "its first revision is not ready"): ProductError {
  return new ProductError(cloudErrors.conflict, {
    message: `${app} cannot be called: ${reason.replace(/[.]$/, "")}.`,
    hint: `Run \`deployctl logs ${app}\` for its log.`,
  });
}

/** Asks a new app for its models, and then for a short answer, unless the first request fails. */
async function testChat(
  connection: EndpointConnection,
  wanted: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<TestStep[]> {
  const endpoint = new OpenAiEndpoint(connection);
  let models: string[] = [];
  const first = await step("GET /v1/models", "at least one model", async () => {
    models = await endpoint.models(signal);
    return { status: 200, text: models.map(shownModel).join(", ") };
  });
  const model = models.includes(wanted) ? wanted : models[0];
  if (model === undefined) return [first];
  const expected = `an answer to "${testQuestion}"`;
  const second = await step("POST /v1/chat/completions", expected, async () => {
    const messages = [{ role: "user", content: testQuestion }] as const;
    const parameters = { num_predict: testAnswerTokens };
    let text = "";
    for await (const event of endpoint.chat({ model, messages, parameters, signal })) {
      if (event.type === "text" || event.type === "thinking") text += event.text;
    }
    return { status: 200, text: text.trim() };
  });
  return [first, second];
}

/** Asks another server for its first page; a status such as 404 is an answer too. */
async function testServer(
  { url, authorization, certificateAuthority }: EndpointConnection,
  signal?: AbortSignal,
): Promise<TestStep[]> {
  const headers = { ...(authorization !== undefined && { authorization }) };
  const request = { method: "GET", url: `${url}/`, headers, certificateAuthority, signal } as const;
  const only = await step("GET /", "an answer of its server", async () => {
    // The body may be endless.
    const { statusCode: status = 0, headers } = (await sendRequest(request)).destroy();
    return { status, text: headers["content-type"] ?? "no content type" };
  });
  return [only];
}

interface StepAnswer {
  readonly status: number;
  readonly text: string;
}

async function step(
  request: string,
  expected: string,
  ask: () => Promise<StepAnswer>,
): Promise<TestStep> {
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  try {
    const { status, text } = await ask();
    const answer = text.replaceAll(/\s+/g, " ");
    const isOk = answer !== "" && status < firstServerError;
    const sentence = answer === "" ? "nothing" : answer;
    return { request, expected, status, elapsedMs: elapsed(), sentence, isOk };
  } catch (error) {
    const status = error instanceof ServerRefusal ? error.status : undefined;
    const sentence = describeError(error);
    return { request, expected, status, elapsedMs: elapsed(), sentence, isOk: false };
  }
}
