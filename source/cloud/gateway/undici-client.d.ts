// Types of a part of undici that has none. It is imported alone, because undici's index also loads fetch, which
// takes as long to load as the gateway.
declare module "undici/lib/dispatcher/client.js" {
  import { Client } from "undici";

  export default Client;
}
