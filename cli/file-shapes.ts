// The shapes of the settings that stand in libretto.json only. Loaded only where it has one of them: start-up time counts.

import { parsePackageName } from '../build/contract/name.ts';
import { isAddressRange } from './setting-values.ts';
import { complaintOf, either, listOf, mapOf, mapped, text, type Shape } from './shape.ts';
import { addressRangePattern, plainText } from './text-schemas.ts';
import { sourceShape } from './source-shape.ts';

const someText = (allowed: string): Shape<string> => text({ pattern: plainText, allowed });

const homepage = text({ pattern: String.raw`^https?://[^\s@]+$`, allowed: 'an http(s) address', objection: (given) => (URL.canParse(given) ? undefined : complaintOf(given, 'an http(s) address')) });

/** Names are compared in lower case everywhere. */
const packageName = mapped(
  text({
    pattern: '^[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)*/[A-Za-z0-9]+(?:(?:[_.]|-{1,2})[A-Za-z0-9]+)*$',
    allowed: 'a package name such as "acme/hello"',
    objection: (given) => (parsePackageName(given.toLowerCase()) === undefined ? complaintOf(given, 'a package name such as "acme/hello"') : undefined),
  }),
  (given) => given.toLowerCase(),
);

const flag: Shape<boolean> = {
  schema: { type: 'boolean' },
  read(value, at, refuse) {
    if (typeof value === 'boolean') return value;
    refuse(at, complaintOf(value, 'true, false, or the name or address of what replaces it'));
    return undefined;
  },
};

const range = 'an address or CIDR range such as "10.0.0.0/8"';
const addressRange = text({ pattern: addressRangePattern, allowed: range, objection: (given) => (isAddressRange(given) ? undefined : complaintOf(given, range)) });

const replacement = either((value) => typeof value === 'string', someText('true, false, or the name or address of what replaces it'), flag);

export const fileShapes = {
  sources: listOf(sourceShape, { allowed: 'a list of paths, git URLs, and objects that say more of a source', atLeast: 0 }),
  name: someText('text'),
  description: someText('text'),
  homepage,
  abandoned: mapOf(packageName, replacement, 'an object such as {"acme/old": "acme/new", "acme/dead": true}'),
  archiveExclude: listOf(someText('a pattern such as "/docs"'), { allowed: 'a list of patterns such as ["/docs", "*.dist"]', atLeast: 0 }),
  egressAllow: listOf(addressRange, { allowed: 'a list of addresses or CIDR ranges such as ["10.0.0.0/8"]', atLeast: 0 }),
  sourceRoots: listOf(text({ pattern: String.raw`^/[^\u0000-\u001f\u007f]*$`, allowed: 'an absolute path such as "/srv/packages"' }), { allowed: 'a list of absolute paths such as ["/srv/packages"]', atLeast: 0 }),
};
