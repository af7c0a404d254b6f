// Checks that a composer.json contains nothing that makes a client abort. A bad value in our metadata often ends the
// whole command, for any package of the command. Composer's loader is strictly typed and checks nothing itself
// (ArrayLoader.php, configureObject and loadPackages). Every rule here was tried against Composer 2.5.5. Values that
// Composer silently ignores pass.

import type { JsonObject, JsonValue } from '../contract/json.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { archiveExcludesOf } from './archive-excludes.ts';
import { checkAutoload } from './check-autoload.ts';
import { packageNameOf } from './package-name.ts';
import { entriesOf, isIntegerKey, isSet } from './php-array.ts';
import { parseConstraint } from '../contract/constraint.ts';

// Links of a composer.json: require, conflict and their like. Composer parses every one of a version it loads, and
// aborts on the first bad one (ArrayLoader.php, configureCachedLinks and createLink).

/** require-dev too: Composer loads it with the rest. */
const linkFields = ['require', 'require-dev', 'conflict', 'replace', 'provide'] as const;

export const maxConstraintLength = 16_384;
const maxLinks = 10_000;

/** Throws QuarantineError: INVALID_COMPOSER_JSON for a wrong shape, CONSTRAINT_INVALID for a constraint. */
function checkLinks(field: string, value: JsonValue | undefined): void {
  if (!isSet(value)) return;
  const links = entriesOf(value);
  if (links === undefined || (Array.isArray(value) && links.length > 0)) {
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      `The field "${field}" must be an object of package names and constraints, such as {"acme/hello": "^1.0"}.`,
    );
  }
  if (links.length > maxLinks)
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      `The field "${field}" holds ${links.length} links; the most it may hold is ${maxLinks}.`,
    );
  for (const [target, constraint] of links) checkLink(field, target, constraint);
}

function checkLink(field: string, target: string, constraint: JsonValue): void {
  const place = `${field}, ${JSON.stringify(shortened(target))}`;
  if (isIntegerKey(target))
    throw new QuarantineError(
      'INVALID_COMPOSER_JSON',
      `${place}: that is a number, not the name of a package; Composer aborts on it.`,
    );
  if (typeof constraint !== 'string')
    throw new QuarantineError(
      'CONSTRAINT_INVALID',
      `${place}: a constraint is a string such as "^1.0", not ${shortened(JSON.stringify(constraint))}.`,
    );
  // Composer takes the package's own version in its place; only the exact text means it.
  if (constraint === 'self.version') return;
  if (constraint.length > maxConstraintLength)
    throw new QuarantineError(
      'CONSTRAINT_INVALID',
      `${place}: the constraint has ${constraint.length} characters; the most it may have is ${maxConstraintLength}.`,
    );
  const parsed = parseConstraint(constraint);
  if ('constraint' in parsed) return;
  const constraintShown = JSON.stringify(shortened(constraint));
  throw new QuarantineError(
    'CONSTRAINT_INVALID',
    `${place}: the constraint ${constraintShown} cannot be read: ${shortened(parsed.refusal)}. Write one such ` +
      'as "^1.0", ">=1.2 <2" or "dev-main".',
  );
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** Tests if Composer can load this value, and explains the correct form. null and absent always pass. */
interface Rule {
  readonly holds: (value: JsonValue) => boolean;
  readonly wanted: string;
}

const text: Rule = { holds: (value) => typeof value === 'string', wanted: 'a string' };
const anyArray: Rule = { holds: (value) => entriesOf(value) !== undefined, wanted: 'an object' };
const texts: Rule = {
  holds: (value) => everyEntry(value, (entry) => typeof entry === 'string') === true,
  wanted: 'a list of strings',
};
const textOrTexts: Rule = {
  holds: (value) => typeof value === 'string' || texts.holds(value),
  wanted: 'a string or a list of strings',
};

/** Composer ignores these fields unless they are arrays, so only the contents of an array are checked. */
const scalarsInside: Rule = {
  holds: (value) => everyEntry(value, (entry) => typeof entry !== 'object' || entry === null) !== false,
  wanted: 'a list of strings',
};
const reasonsInside: Rule = {
  holds: (value) => everyEntry(value, (entry, key) => typeof entry === 'string' && !isIntegerKey(key)) !== false,
  wanted: 'an object of package names and reasons',
};
const textsInside: Rule = {
  holds: (value) => everyEntry(value, (entry) => typeof entry === 'string') !== false,
  wanted: 'an object of strings, such as {"dev-main": "2.x-dev"}',
};

const rules: Readonly<Record<string, Rule>> = {
  type: text,
  'target-dir': text,
  bin: textOrTexts,
  suggest: reasonsInside,
  'include-path': texts,
  keywords: scalarsInside,
  license: { holds: scalarsInside.holds, wanted: 'a string or a list of strings' },
  support: {
    holds: (value) => everyEntry(value, (entry) => typeof entry === 'string' || entry === null) === true,
    wanted: 'an object of strings, such as {"issues": "https://…"}',
  },
  autoload: anyArray,
  'autoload-dev': anyArray,
  'php-ext': anyArray,
};

/**
 * Throws QuarantineError for the first value that makes a client fail: NAME_MISSING, NAME_INVALID, CONSTRAINT_INVALID
 * or INVALID_COMPOSER_JSON. `version` is not checked, because its meaning depends on the source.
 */
export function checkComposerJson(json: JsonObject): void {
  packageNameOf(json);
  for (const [field, rule] of Object.entries(rules)) checkField(field, json[field], rule);
  for (const field of linkFields) checkLinks(field, json[field]);
  checkAutoload('autoload', json['autoload']);
  archiveExcludesOf(json);
  checkField('archive.name', inside(json['archive'], 'name'), text);
  checkField('extra.branch-alias', inside(json['extra'], 'branch-alias'), textsInside);
}

function checkField(field: string, value: JsonValue | undefined, rule: Rule): void {
  if (!isSet(value) || rule.holds(value)) return;
  throw new QuarantineError(
    'INVALID_COMPOSER_JSON',
    `The field "${field}" must be ${rule.wanted}; Composer aborts on anything else.`,
  );
}

function inside(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (!isSet(value)) return undefined;
  return entriesOf(value)?.find(([name]) => name === key)?.[1];
}

/** undefined if the value is no array to PHP. */
function everyEntry(value: JsonValue, holds: (entry: JsonValue, key: string) => boolean): boolean | undefined {
  return entriesOf(value)?.every(([key, entry]) => holds(entry, key));
}
