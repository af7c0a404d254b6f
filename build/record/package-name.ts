// The name a composer.json gives its package. Case does not matter, because every name is published in lower case.

import type { JsonObject } from '../contract/json.ts';
import { maxNamePartLength, parsePackageName, splitPackageName, type PackageName } from '../contract/name.ts';
import { asciiLowerCase } from '../contract/php-text.ts';
import { QuarantineError } from '../contract/quarantine.ts';

/** Names of devices on Windows, which no folder can have (ValidatingArrayLoader.php, hasPackageNamingError). */
const reserved = /^(?:nul|con|prn|aux|com[1-9]|lpt[1-9])$/;

/** Throws QuarantineError NAME_MISSING or NAME_INVALID. */
export function packageNameOf(json: JsonObject): PackageName {
  const written = json['name'];
  if (written === undefined || written === null || written === '')
    throw new QuarantineError(
      'NAME_MISSING',
      'The composer.json has no name. Give it one, such as "name": "acme/hello".',
    );
  if (typeof written !== 'string')
    throw new QuarantineError(
      'NAME_INVALID',
      'The name in the composer.json is not a string. Write it as "name": "acme/hello".',
    );
  const name = parsePackageName(asciiLowerCase(written));
  if (name === undefined)
    throw new QuarantineError(
      'NAME_INVALID',
      `The name ${quoted(written)} is not one Composer accepts: ${refusal(written)}.${suggestion(written)}`,
    );
  const { vendor, project } = splitPackageName(name);
  if (reserved.test(vendor) || reserved.test(project))
    throw new QuarantineError(
      'NAME_INVALID',
      `The name ${quoted(written)} holds the name of a Windows device, which no folder can have there. Choose another.`,
    );
  if (name.endsWith('.json'))
    throw new QuarantineError(
      'NAME_INVALID',
      `The name ${quoted(written)} ends in .json, which Composer refuses. ` +
        `"${name.replace(/\.json$/, '-json')}" would do.`,
    );
  return name;
}

function refusal(written: string): string {
  const parts = written.split('/');
  if (parts.length !== 2 || parts.includes(''))
    return 'it must be a vendor and a package with one slash between them, such as acme/hello';
  if (parts.some((part) => part.length > maxNamePartLength))
    return `vendor and package may have ${maxNamePartLength} characters each`;
  return 'vendor and package are letters and digits, with a single ".", "_" or "-" between them';
}

/** The nearest valid name, if there is one. */
function suggestion(written: string): string {
  const parts = written
    .slice(0, 2 * maxNamePartLength + 1)
    .split('/')
    .map(nearestPart);
  const name = parsePackageName(parts.join('/'));
  return name === undefined ? '' : ` "${name}" would do.`;
}

function nearestPart(part: string): string {
  return asciiLowerCase(part)
    .replace(/[^a-z0-9]+/g, (run) => (run.length === 1 && /[_.-]/.test(run) ? run : '-'))
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
}

function quoted(written: string): string {
  return JSON.stringify(written.length > 120 ? `${written.slice(0, 120)}…` : written);
}
