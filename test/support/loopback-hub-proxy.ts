// A forward proxy on loopback, as companies have them: passes requests on and tunnels with CONNECT.
import { once } from "node:events";
import { createServer, request as sendRequest } from "node:http";
import { connect, type Socket } from "node:net";

export interface LoopbackProxy {
  /** For `HTTPS_PROXY`, without a name and a password. */
  url: string;
  /** `CONNECT host:port`, or the method and the address of what was passed on. */
  requests: string[];
  close(): Promise<void>;
}

/** @param credentials `name:password` that it wants, if any */
export async function startLoopbackProxy(credentials?: string): Promise<LoopbackProxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const server = createServer((incoming, response) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    const { "proxy-authorization": given, ...headers } = incoming.headers;
    if (wanted !== undefined && given !== wanted) {
      response.writeHead(407, { "proxy-authenticate": "Basic" }).end();
      return;
    }
    const outgoing = sendRequest(incoming.url ?? "", { method: incoming.method, headers });
    outgoing.on("response", (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    outgoing.on("error", () => response.writeHead(502).end());
    outgoing.end();
  });
  server.on("connect", (incoming, socket: Socket) => {
    requests.push(`CONNECT ${incoming.url}`);
    socket.on("error", () => {}); // either side leaves whenever it likes
    if (wanted !== undefined && incoming.headers["proxy-authorization"] !== wanted) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const target = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(target).pipe(socket);
    });
    sockets.add(target);
    target.on("error", () => socket.destroy());
    socket.on("close", () => target.destroy());
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
