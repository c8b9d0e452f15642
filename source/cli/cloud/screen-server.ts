// One control plane for the screens: the admin client, and what has to be done on this machine for it.

import { readFileSync } from "node:fs";
import { callKey } from "../../application/call-key.ts";
import { machineCapacity } from "../../application/machine-capacity.ts";
import type { EndpointConnection } from "../../client/openai-endpoint.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type {
  DeployEvent,
  DeploymentRequest,
  EphemeralEvent,
  ServerStatus,
} from "../../cloud/admin/documents.ts";
import type { Inspection } from "../../cloud/inspection/inspection.ts";
import type {
  CallableApp,
  ChatApp,
  CloudServer,
  CloudTarget,
  DeploymentBackend,
  MachineCapacity,
  TestStep,
} from "../../ui/screens/cloud-access.ts";
import { certificateOf } from "./certificate.ts";
import { callLines, servedModel } from "./deploy-summary.ts";
import { DeploymentChat } from "./deployment-chat.ts";
import { type Session, settingOf } from "./session.ts";
import { clientOf, ensureControlPlane } from "./target.ts";
import { testApp } from "./test-app.ts";

export class ScreenServer implements CloudServer {
  readonly target: CloudTarget;
  readonly session: Session;
  /** Made keys by app: one is enough for as long as this program runs. */
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
      // Its address and who may call it may have changed since.
      const current = await this.client.app(app);
      if (isRefused) {
        given = undefined;
        this.#tokens.delete(tokenName(current));
      }
      return await this.#connectionOf(current, given);
    };
    return new DeploymentChat({ deployment: { profile, app, url }, connect });
  }

  async testApp(app: CallableApp, token?: string, signal?: AbortSignal): Promise<TestStep[]> {
    return await testApp(await this.#connectionOf(app, token), signal);
  }

  callLines({ url, auth }: CallableApp, inspection: Inspection | undefined): readonly string[] {
    const model = inspection === undefined ? "MODEL" : servedModel(inspection);
    const certificateFile = certificateOf(this.session, url);
    return callLines(url, auth, { model, endpoints: inspection?.endpoints, certificateFile });
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
    // A failed result is tried again.
    made.catch(() => this.#tokens.delete(name));
    return await made;
  }

  async #ensure(): Promise<void> {
    if (this.target.isLocal) await ensureControlPlane(this.session);
  }
}

function tokenName({ organisation, app, auth }: CallableApp): string {
  return `${organisation}/${app} ${auth}`;
}
