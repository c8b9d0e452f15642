// The saved chats, as the command line opens them.
export type { SessionDeployment, SessionHead } from "../sessions/session.ts";
export { SessionStore } from "../sessions/session-store.ts";
