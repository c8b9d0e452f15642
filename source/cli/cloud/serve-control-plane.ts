// deployctl up --foreground: the control plane and the gateway in this process, until a signal.
import { exitCodes } from "../../base/product-error.ts";
import type { Session } from "./session.ts";

export async function serveControlPlane(session: Session): Promise<number> {
  process.stderr.write(`${session.stateFolder}\n`);
  return exitCodes.ok;
}
