// Types of a part of undici that has none: its index loads the rest, of which fetch alone takes as long as
// the gateway.
declare module "undici/lib/dispatcher/client.js" {
  import { Client } from "undici";

  export default Client;
}
