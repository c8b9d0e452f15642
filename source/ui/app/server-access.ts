// Interface of the Server screen to the server of this program, which the command line implements.

/** When requests need a key; `auto`: if other machines can reach the server. */
export type KeyRule = "auto" | "true" | "false";

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly requireKey: KeyRule;
  /** Allowed browser origins, besides the usual local ones. */
  readonly origins: readonly string[];
}

/** Controls of the server, if this program hosts it. */
export interface ServerControl {
  readonly isRunning: () => boolean;
  /** The current settings, or those of the last attempt to start. */
  readonly settings: () => ServerSettings;
  /** A sentence, where other machines can use the server without a key. */
  readonly warning: () => string | undefined;
  /** A sentence on other programs that use the running server; undefined if there are none. */
  readonly users: () => string | undefined;
  /** @throws with a sentence */
  stop(): Promise<void>;
  /** Starts it with the same settings. @throws with a sentence, such as that the port is taken */
  start(): Promise<void>;
  /** Starts a stopped server. @throws as `start` */
  startWith(settings: ServerSettings): Promise<void>;
  /** Starts it with the same settings on the next free port. @throws as `start` */
  startOnNextPort(): Promise<void>;
  /** @returns the token of a new key, which is not shown again */
  makeKey(): Promise<string>;
}
