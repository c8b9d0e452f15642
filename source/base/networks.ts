// Lists of networks, such as those of private addresses.
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * Returns a test of addresses, without brackets. An IPv4 network also holds its addresses in the form
 * `::ffff:…`.
 *
 * @param lists networks such as `10.0.0.0/8`, separated by blanks
 */
export function networks(...lists: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of lists.flatMap((list) => list.split(" "))) {
    const [first = "", bits] = network.split("/");
    list.addSubnet(first, Number(bits), familyOf(first));
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

// https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 counterpart
/** Tells addresses of this machine, of private networks, and others that are not public. */
const isSpecial = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24",
  "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24",
  "224.0.0.0/4 240.0.0.0/4",
  // The first also holds old forms of IPv4 addresses.
  "::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20",
  "5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8",
);

/** @param address IPv4 or IPv6, without brackets */
export function isPublicAddress(address: string): boolean {
  return isIP(address) !== 0 && !isSpecial(address);
}

/**
 * True for a public address outside this machine and its networks, whose own addresses may be public too:
 * with IPv6, and on rented machines.
 */
export function isForeignAddress(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((list = []) =>
    list.flatMap(({ cidr }) => cidr ?? []),
  );
  return isPublicAddress(address) && !networks(...own)(address);
}
