// Opens the saved chats for the command line.
export type { SessionDeployment, SessionHead } from "../sessions/session.ts";
export { SessionStore } from "../sessions/session-store.ts";
