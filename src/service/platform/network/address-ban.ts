import { BlockList, isIP } from 'node:net';

type Network = readonly [network: string, length: number];

/**
 * Addresses outside of the public internet, or that can lead to such an address (IANA, IPv4 and IPv6 Special-Purpose
 * Address Registries): private, loopback, link-local, shared (carrier-grade NAT), multicast, reserved, documentation,
 * benchmarking, and the IPv6 ranges that carry an IPv4 address within (6to4, Teredo).
 */
const specialPurpose: readonly Network[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

/** Public ranges that lead to internal services of a cloud provider (IBM Cloud). */
const cloudServices: readonly Network[] = [
  ['161.26.0.0', 16],
  ['166.8.0.0', 14],
];

/**
 * Metadata services, where cloud providers publish a machine's credentials. Most use the link-local 169.254.169.254;
 * AWS also 169.254.170.2 for containers, Tencent 169.254.0.23, Scaleway 169.254.42.42. One of Azure's is in a public
 * range.
 */
const metadataIpv4: readonly Network[] = [
  ['169.254.0.0', 16],
  // Azure
  ['168.63.129.16', 32],
  // Alibaba Cloud
  ['100.100.100.200', 32],
  // Oracle Cloud, Classic
  ['192.0.0.192', 32],
];
const metadataIpv6: readonly Network[] = [
  ['fe80::', 10],
  // AWS
  ['fd00:ec2::', 32],
  // Google Cloud
  ['fd20:ce::', 32],
  // Akamai (Linode)
  ['fd00:a9fe:a9fe::', 64],
  // Scaleway
  ['fd00:42::', 32],
];

/** Contains all IPv6 addresses of the public internet (RFC 4291, global unicast). */
const globalUnicast = toBlockList([['2000::', 3]]);
const metadata = toBlockList([
  ...metadataIpv4,
  ...metadataIpv6,
  ...metadataIpv4.flatMap(embeddedInIpv6),
  // Teredo embeds an IPv4 address in its own encoding, and no private network needs it.
  ['2001::', 32],
]);
const notPublic = toBlockList([...specialPurpose, ...cloudServices, ...metadataIpv4]);

/** Why an address must not be called; undefined if it is allowed. */
export type AddressBan = 'metadata' | 'not public' | undefined;

/**
 * Checks whether the service may call an IP address that its users name.
 *
 * @param allowPrivate whether addresses of private networks are allowed, too; those of metadata services never are.
 */
export function findAddressBan(address: string, allowPrivate: boolean): AddressBan {
  if (isMetadataAddress(address)) return 'metadata';
  return allowPrivate || isPublicAddress(address) ? undefined : 'not public';
}

/** Whether a text is an IP address of the public internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notPublic.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
    default:
      return false;
  }
}

function isMetadataAddress(address: string): boolean {
  // A link-local address can name its interface (`fe80::1%eth0`).
  const [plain = ''] = address.split('%');
  const family = isIP(plain);
  return family !== 0 && metadata.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The IPv6 networks that lead to an IPv4 network: IPv4-compatible, NAT64 and 6to4. `BlockList` itself handles
 * IPv4-mapped addresses.
 */
function embeddedInIpv6([network, length]: Network): readonly Network[] {
  const digits = network.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  const sixToFour = `2002:${digits.slice(0, 2).join('')}:${digits.slice(2).join('')}::`;
  return [
    [`::${network}`, 96 + length],
    [`64:ff9b::${network}`, 96 + length],
    [sixToFour, 16 + length],
  ];
}

function toBlockList(networks: readonly Network[]): BlockList {
  const list = new BlockList();
  for (const [network, length] of networks) list.addSubnet(network, length, isIP(network) === 6 ? 'ipv6' : 'ipv4');
  return list;
}
