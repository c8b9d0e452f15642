// Lists of networks, such as those of private addresses.
import { BlockList, isIP } from "node:net";

/**
 * Returns a test of addresses, without brackets. An IPv4 network also holds its addresses in the form
 * `::ffff:…`.
 *
 * @param lists networks such as `10.0.0.0/8`, separated by blanks
 */
export function networks(...lists: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of lists.join(" ").split(" ")) {
    const [first = "", bits] = network.split("/");
    list.addSubnet(first, Number(bits), familyOf(first));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
