// Chats with deployments, opened from the console, the deploy screen, or a saved chat.

import { describeError } from "../../base/product-error.ts";
import type { ChatOptions } from "../../chat/chat-backend.ts";
import type { SessionDeployment, SessionHead } from "../../chat/sessions/session.ts";
import type { ScreenContext } from "../frame/screen.ts";
import type { ChatPlaces, DeploymentPlaces, PlacedChat } from "../screens/chat/chat-places.tsx";
import { chatScreen } from "../screens/chat/chat-screen.tsx";
import { chooseSession } from "../screens/chat/choose-session.ts";
import type { CallableApp, CloudAccess, CloudServer } from "./cloud-access.ts";

export interface DeploymentChatsOptions {
  readonly cloud: CloudAccess;
  readonly chats: ChatPlaces;
  readonly context: ScreenContext;
  /** Store of the chats; without it they are not saved. */
  readonly kept: Pick<ChatOptions, "historyFile" | "sessions">;
}

export class DeploymentChats implements DeploymentPlaces {
  readonly #options: DeploymentChatsOptions;

  constructor(options: DeploymentChatsOptions) {
    this.#options = options;
  }

  /**
   * Opens the chat screen on a deployment.
   *
   * @param token undefined: a suitable key is found or created
   * @throws ProductError when its server is unreachable or gives no key
   */
  async chatWith(server: CloudServer, app: CallableApp, token?: string): Promise<void> {
    const { chats, context } = this.#options;
    const name = `${app.organisation}/${app.app}`;
    await chats.show(placeName(server.target.profile, name), async () => {
      const backend = server.openChat({ app: name, url: app.url }, token);
      await backend.reach();
      return await this.#open(backend);
    });
    context.frame.open("chat");
  }

  /**
   * Resumes a saved chat of a deployment. If it is unreachable, a notice says so: the chat can be
   * read anyway, and the next question tries again.
   *
   * @throws ProductError `CONFIGURATION_PROFILE_UNKNOWN`
   */
  async resume(saved: SessionHead, { profile, app, url }: SessionDeployment): Promise<void> {
    const { cloud, chats } = this.#options;
    const backend = cloud.server(profile).openChat({ app, url });
    const chat = await chats.show(placeName(profile, app), () => this.#open(backend));
    await chat.resume(saved);
    await backend.reach().catch((error: unknown) => {
      chat.notify(`${app} is not responding: ${describeError(error)}`);
    });
  }

  async chooseSaved(): Promise<string | undefined> {
    const { kept, context } = this.#options;
    const { sessions: store } = kept;
    const own = ((await store?.search("")) ?? []).filter(
      ({ deployment }) => deployment !== undefined,
    );
    if (store === undefined || own.length === 0) return "No saved chats with a deployment.";
    const chats = {
      search: (typed: string) => store.search(typed),
      remove: (id: string) => store.remove(id),
    };
    const chosen = await chooseSession(own, chats, context.frame, context.clock);
    const saved = own.find(({ id }) => id === chosen);
    if (saved?.deployment !== undefined) await this.resume(saved, saved.deployment);
    return undefined;
  }

  #open(backend: ChatOptions["backend"]): Promise<PlacedChat> {
    const { kept, context, chats } = this.#options;
    const goElsewhere = (saved: SessionHead) => chats.goElsewhere(saved);
    return chatScreen({ backend, goElsewhere, ...kept }, context);
  }
}

/** Keeps one chat per deployment. */
function placeName(profile: string, app: string): string {
  return `${profile} ${app}`;
}
