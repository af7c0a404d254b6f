// Decides which source a package name belongs to. A name that is or may be private is never requested from an upstream
// and never answered from one (I9, reliability case 76). Other names are requested from the upstreams in their listed
// order. Only the first upstream that has a package serves the package. Pure.

import { splitPackageName, type PackageName } from '../../../build/contract/name.ts';
import { isVendorWide, matchAnyName } from '../../../build/shared/patterns/package-pattern.ts';

/** The private names of this registry: each look-up is live, since a publication may change them. */
export interface PrivateNames {
  /** true if a package is or ever was published here */
  readonly has: (name: PackageName) => boolean;
  /** true if any package of this vendor is private */
  readonly hasVendor: (vendor: string) => boolean;
  /**
   * the reason why further private names are unknown: then no name is requested from an upstream, nor answered from
   * one. Left out: all are known
   */
  readonly unknown?: string;
}

export interface UpstreamScope {
  readonly id: string;
  /** patterns; empty: all */
  readonly allow: readonly string[];
  /** patterns that are never requested, even if `allow` contains them */
  readonly deny: readonly string[];
}

export interface PrecedenceRules {
  /** patterns of names that are never mirrored, whether there are such packages or not */
  readonly reserved: readonly string[];
  /** vendors of which some packages are private and the others public: there it is decided name by name */
  readonly sharedVendors: readonly string[];
  /** in the order of the requests */
  readonly upstreams: readonly UpstreamScope[];
}

export type Belonging =
  | { readonly to: 'private'; readonly because: string }
  | { readonly to: 'upstreams'; readonly ids: readonly string[] }
  /** `unknown`: for now, since it is not known which names are private */
  | { readonly to: 'nobody'; readonly because: string; readonly unknown?: true };

export type Precedence = (name: PackageName, names: PrivateNames) => Belonging;

export function createPrecedence({ reserved, sharedVendors, upstreams }: PrecedenceRules): Precedence {
  const shared = new Set(sharedVendors.map((vendor) => vendor.toLowerCase()));
  const [isReserved, isReservedByName] = [
    matchAnyName(reserved),
    matchAnyName(reserved.filter((pattern) => !isVendorWide(pattern))),
  ];
  const scopes = upstreams.map(({ id, allow, deny }) => ({
    id,
    isOpen: isOpen(allow),
    allows: allow.length === 0 ? () => true : matchAnyName(allow),
    denies: matchAnyName(deny),
  }));
  return (name, names) => {
    const { vendor } = splitPackageName(name);
    if (names.has(name)) return { to: 'private', because: `${name} is a package of this registry` };
    // a shared vendor is not completely private; a narrower reservation in it stays
    if (shared.has(vendor) ? isReservedByName(name) : isReserved(name))
      return { to: 'private', because: `${name} is reserved by the setting mirroring.reserved` };
    if (!shared.has(vendor) && names.hasVendor(vendor)) {
      return {
        to: 'private',
        because: `the vendor ${vendor} has private packages, and is not listed in mirroring.shared_vendors`,
      };
    }
    if (scopes.length === 0) return { to: 'nobody', because: 'nothing is mirrored' };
    if (names.unknown !== undefined) return { to: 'nobody', because: names.unknown, unknown: true };
    const ids: string[] = [];
    let hasDedicated = false;
    for (const scope of scopes) {
      // a name with a dedicated upstream is never requested from an open one: the open one would learn the name, and
      // could supply a missing package in its place
      if (!scope.allows(name) || scope.denies(name) || (hasDedicated && scope.isOpen)) continue;
      ids.push(scope.id);
      hasDedicated ||= !scope.isOpen;
    }
    return ids.length === 0
      ? {
          to: 'nobody',
          because: `no upstream is used for ${name}: the only/except of the repositories, or mirroring.allow/deny, exclude it`,
        }
      : { to: 'upstreams', ids };
  };
}

/** True if an upstream has no limit on its names. */
function isOpen(allow: readonly string[]): boolean {
  return allow.length === 0 || allow.some((pattern) => pattern === '*' || pattern === '*/*');
}
