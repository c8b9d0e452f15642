// Address and encryption of a gateway listener.

export type Encryption =
  | { kind: "none" }
  /** Files are read again when they change; checked every `checkMs`. */
  | { kind: "files"; certificateFile: string; keyFile: string; checkMs?: number }
  /** Certificate authority of the gateway's own, kept in `folder`. */
  | { kind: "self-signed"; folder: string; names: readonly string[] };

export interface ListenerOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  encryption: Encryption;
  /** Allows plain HTTP beyond loopback. */
  allowsPlainHttp?: boolean;
}
