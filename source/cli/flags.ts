// The flags of every command.

/** Flags as typed; a command reads the ones that concern it. */
export interface Flags {
  host?: string;
  port?: string;
  connect?: string;
  key?: string;
  gpu?: string;
  numParallel?: string;
  contextLength?: string;
  keepalive?: string;
  system?: string;
  preload?: string;
  verbose: boolean;
  plain: boolean;
  debug: boolean;
  background: boolean;
  origin: boolean;
}
