// The shapes of settings that exist only in libretto.json. They are loaded only if the file has one of them, to keep
// the start fast.

import { type JsonValue, isJsonObject } from '../../build/contract/json.ts';
import { parsePackageName } from '../../build/contract/name.ts';
import { httpAddressFault } from '../../build/contract/address.ts';
import { listNameFault } from '../../build/advisories/filter-file.ts';
import { isAddressRange, shown } from './setting-values.ts';
import {
  mostNotices,
  isNoticeMessage,
  isNoticeVersions,
  longestNotice,
  type ClientNotice,
} from '../../proxy/settings/client-notice.ts';
import { identityProvidersShape } from './identity-provider-shape.ts';
import { complaintOf, either, listOf, mapOf, mapped, text, type Shape, meant, type ReportFault } from './shape.ts';
import { addressRangePattern, plainText } from './text-schemas.ts';
import { sourceShape } from './source-shape.ts';

const versionsAllowed = 'a constraint for the version of Composer, such as "<2.5"';
const versions = text({
  pattern: plainText,
  allowed: versionsAllowed,
  description: 'a constraint for the version of Composer, such as <2.5',
  objection: (given) => (isNoticeVersions(given) ? undefined : complaintOf(given, versionsAllowed)),
});
const messageAllowed = `one line of at most ${longestNotice} characters`;
const message = text({
  pattern: plainText,
  allowed: messageAllowed,
  description: 'the text for users of Composer',
  objection: (given) => (isNoticeMessage(given) ? undefined : complaintOf(given, messageAllowed)),
});

const fields = { versions, message };

/** One entry of `warnings` and `infos`: a text for Composer users, and the versions of Composer that show it. */
const noticeShape: Shape<ClientNotice> = {
  schema: {
    type: 'object',
    required: Object.keys(fields),
    properties: { versions: versions.schema, message: message.schema },
    additionalProperties: false,
  },
  read(value, at, refuse) {
    if (!isJsonObject(value))
      return refuse(
        at,
        complaintOf(value, 'an object such as {"versions": "<2.5", "message": "Please update Composer."}'),
      );
    const strange = Object.keys(value).filter((field) => !Object.hasOwn(fields, field));
    for (const field of strange)
      refuse(
        `${at}.${field}`,
        `is not a field of a notice${meant(field, Object.keys(fields)) || '; it has versions and message.'}`,
      );
    const [found, said] = [
      readField('versions', versions, value['versions'], at, refuse),
      readField('message', message, value['message'], at, refuse),
    ];
    return strange.length > 0 || found === undefined || said === undefined
      ? undefined
      : { versions: found, message: said };
  },
};

function readField(
  field: string,
  shape: Shape<string>,
  value: Parameters<Shape<string>['read']>[0] | undefined,
  at: string,
  refuse: ReportFault,
): string | undefined {
  if (value !== undefined) return shape.read(value, `${at}.${field}`, refuse);
  return refuse(at, `has no ${field}.`);
}

const someText = (allowed: string): Shape<string> => text({ pattern: plainText, allowed });

/** For a text that may be an http(s) address. */
const addressObjection = (given: string): string | undefined => {
  const fault = httpAddressFault(given);
  return fault === undefined ? undefined : `is ${shown(given)}, which ${fault}.`;
};

const homepage = text({
  pattern: String.raw`^https?://[^\s@]+$`,
  allowed: 'an http(s) address',
  objection: addressObjection,
});

/** Names are compared in lower case everywhere. */
const packageName = mapped(
  text({
    pattern: '^[A-Za-z0-9]+(?:[_.-][A-Za-z0-9]+)*/[A-Za-z0-9]+(?:(?:[_.]|-{1,2})[A-Za-z0-9]+)*$',
    allowed: 'a package name such as "acme/hello"',
    objection: (given) =>
      parsePackageName(given.toLowerCase()) === undefined
        ? complaintOf(given, 'a package name such as "acme/hello"')
        : undefined,
  }),
  (given) => given.toLowerCase(),
);

const flag: Shape<boolean> = {
  schema: { type: 'boolean' },
  read: (value, at, refuse) =>
    typeof value === 'boolean'
      ? value
      : refuse(at, complaintOf(value, 'true, false, or the name or address of the replacement')),
};

const range = 'an address or CIDR range such as "10.0.0.0/8"';
const addressRange = text({
  pattern: addressRangePattern,
  allowed: range,
  objection: (given) => (isAddressRange(given) ? undefined : complaintOf(given, range)),
});

const replacement = either(
  (value) => typeof value === 'string',
  text({
    pattern: plainText,
    allowed: 'true, false, or the name or address of the replacement',
    objection: addressObjection,
  }),
  flag,
);

const notices = listOf(noticeShape, {
  allowed:
    `a list of at most ${mostNotices} objects such as [{"versions": "<2.5", "message": "Please update ` +
    'Composer."}]',
  atLeast: 0,
  atMost: mostNotices,
});

const file = text({ pattern: plainText, allowed: 'the path of a JSON file such as "advisories.json"' });

/** The build reads the entries of the list, together with the files. */
const entries: Shape<readonly JsonValue[]> = {
  schema: { type: 'array', items: { type: 'object', required: ['package', 'constraint'] } },
  read(value, at, refuse) {
    if (Array.isArray(value)) return value as readonly JsonValue[];
    return refuse(at, complaintOf(value, 'the path of a JSON file, or a list of {"package": …, "constraint": …}'));
  },
};

export const fileShapes = {
  sources: listOf(sourceShape, {
    allowed: 'a list of paths, git URLs, and objects with options',
    atLeast: 0,
  }),
  name: someText('text'),
  description: someText('text'),
  homepage,
  abandoned: mapOf(packageName, replacement, 'an object such as {"acme/old": "acme/new", "acme/dead": true}'),
  advisories: either(
    (value) => typeof value === 'string',
    mapped(file, (path): readonly string[] => [path]),
    listOf(file, { allowed: 'the path of a JSON file, or a list of paths', atLeast: 0 }),
  ),
  filters: mapOf(
    text({
      pattern: '^[a-z0-9]+(?:[_-][a-z0-9]+)*$',
      allowed: 'a name such as "malware"',
      objection: (name) => listNameFault(name),
    }),
    either((value) => typeof value === 'string', file, entries),
    'an object such as {"malware": "malware.json"}, without names that Composer reserves (advisories, ' +
      'abandoned, license …)',
  ),
  archiveExclude: listOf(someText('a pattern such as "/docs"'), {
    allowed: 'a list of patterns such as ["/docs", "*.dist"]',
    atLeast: 0,
  }),
  egressAllow: listOf(addressRange, {
    allowed: 'a list of addresses or CIDR ranges such as ["10.0.0.0/8"]',
    atLeast: 0,
  }),
  warnings: notices,
  infos: notices,
  identityProviders: identityProvidersShape,
  sourceRoots: listOf(
    text({ pattern: String.raw`^/[^\u0000-\u001f\u007f]*$`, allowed: 'an absolute path such as "/srv/packages"' }),
    { allowed: 'a list of absolute paths such as ["/srv/packages"]', atLeast: 0 },
  ),
};
