// Where and how the gateway is reached.

export type Encryption =
  | { kind: "none" }
  /** Read again when they change, which is looked for so often. */
  | { kind: "files"; certificateFile: string; keyFile: string; checkMs?: number }
  /** With a certificate authority of our own in `folder`. */
  | { kind: "self-signed"; folder: string; names: readonly string[] };

export interface ListenerOptions {
  host: string;
  /** 0: any free one. */
  port: number;
  encryption: Encryption;
  /** Plain HTTP beyond loopback, at the owner's own risk. */
  allowsPlainHttp?: boolean;
}

/** Address on which a gateway listens. */
export interface BoundAddress {
  scheme: "http" | "https";
  host: string;
  port: number;
  url: string;
}
