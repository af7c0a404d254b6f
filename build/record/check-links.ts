// Links of a composer.json: require, conflict and their like. Composer parses every one of a version it loads, and
// aborts on the first bad one (ArrayLoader.php, configureCachedLinks and createLink).

import { parseConstraint } from '../contract/constraint.ts';
import type { JsonValue } from '../contract/json.ts';
import { QuarantineError } from '../contract/quarantine.ts';
import { entriesOf, isIntegerKey, isSet } from './php-array.ts';

/** require-dev too: Composer loads it with the rest. */
export const linkFields = ['require', 'require-dev', 'conflict', 'replace', 'provide'] as const;

export const maxConstraintLength = 16_384;
export const maxLinks = 10_000;

/** Throws QuarantineError: INVALID_COMPOSER_JSON for a wrong shape, CONSTRAINT_INVALID for a constraint. */
export function checkLinks(field: string, value: JsonValue | undefined): void {
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
