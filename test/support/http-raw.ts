// Requests that fetch refuses to make: any header, any bytes.
import { request } from "node:http";
import { connect } from "node:net";

export interface RawReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export async function sendRaw(
  url: string,
  { method = "GET", headers = {}, body }: RawRequest,
): Promise<RawReply> {
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8");
      reply.on("data", (piece: string) => {
        text += piece;
      });
      reply.once("end", () => {
        outgoing.destroy();
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text });
      });
    });
    outgoing.once("error", reject);
    // A body that is announced and never sent: the reply must not wait for it.
    if (body === undefined && "content-length" in headers) outgoing.flushHeaders();
    else outgoing.end(body);
  });
}

/**
 * Sends bytes as they are and gives back all that comes.
 *
 * @param isLast whether the sending side is closed behind them, as by `nc -N`
 */
export async function sendBytes(
  url: string,
  bytes: string | Buffer,
  isLast = false,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return await new Promise((resolve, reject) => {
    let text = "";
    const to = { host: hostname, port: Number(port), allowHalfOpen: isLast };
    const socket = connect(to, () => (isLast ? socket.end(bytes) : socket.write(bytes)));
    socket.setEncoding("utf8");
    socket.on("data", (piece: string) => {
      text += piece;
    });
    socket.once("close", () => resolve(text));
    socket.once("error", reject);
  });
}
