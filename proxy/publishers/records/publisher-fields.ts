// What people give for a publisher, and the checks of each field alone.

import { invalidInput, type FieldFault } from '../../../build/contract/errors.ts';
import { limitNames, parseLimits, uselessConstraints } from '../../core/views/token-limits.ts';
import {
  longestName,
  mostClaims,
  mostExchanges,
  textRules,
  type Purpose,
  type PublisherView,
} from '../model/publisher.ts';
import type { PublisherFields } from './publisher-schema.ts';

type Note = (path: string, message: string) => void;

/**
 * Texts without surrounding blanks. An empty one is a fault, and not the lack of a rule: an unset variable of a script
 * must not widen a publisher. Throws INVALID_INPUT with every fault.
 */
export function checkedTexts(given: PublisherFields): PublisherFields {
  const issues: FieldFault[] = [];
  const note: Note = (path, message) => void issues.push({ path, message });
  const fields = {
    ...given,
    ...(given.name === undefined ? {} : { name: checkedName(given.name, note) }),
    ...(given.claims === undefined ? {} : { claims: checkedClaims(given.claims, note) }),
  };
  for (const [name, rule] of Object.entries(textRules)) {
    const value = given[name as keyof typeof textRules];
    if (value === undefined || value === null) continue;
    const trimmed = value.trim();
    Object.assign(fields, { [name]: trimmed });
    if (!rule.pattern.test(trimmed)) note(name, `must be ${rule.allowed}`);
  }
  checkNumber('token_minutes', given.token_minutes, 60, note);
  checkNumber('exchanges_per_hour', given.exchanges_per_hour, mostExchanges, note);
  if (issues.length > 0) throw invalidInput(...issues);
  return fields;
}

function checkedName(text: string, note: Note): string {
  const name = text.trim();
  if (name === '' || name.length > longestName || /\p{C}/u.test(name))
    note('name', `must be one line of 1 to ${longestName} characters`);
  return name;
}

const ownClaims: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti']);

function checkedClaims(given: Readonly<Record<string, string>>, note: Note): Readonly<Record<string, string>> {
  const entries = Object.entries(given);
  if (entries.length > mostClaims) note('claims', `has ${entries.length} entries; at most ${mostClaims} are taken`);
  for (const [claim, value] of entries) {
    const path = `claims.${claim.slice(0, 80)}`;
    if (claim === '__proto__' || !/^[\w./:-]{1,100}$/.test(claim)) note(path, 'is no name of a claim');
    if (ownClaims.has(claim)) note(path, 'is checked for every ID token: leave it out');
    if (value === '' || value.length > 500 || /\p{C}/u.test(value))
      note(path, 'must have 1 to 500 characters on one line');
  }
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function checkNumber(path: string, value: number | undefined, most: number, note: Note): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1 && value <= most)) return;
  note(path, `must be a whole number from 1 to ${most}`);
}

/** The limits of the token, in their canonical form. Throws INVALID_INPUT. */
export function checkedView(given: PublisherFields): Partial<PublisherView> {
  const wanted = Object.fromEntries(limitNames.map((name) => [name, (given as Record<string, unknown>)[name]]));
  const parsed = parseLimits(wanted);
  if ('issues' in parsed) throw invalidInput(...parsed.issues);
  const { networks: _networks, ...view } = parsed.limits;
  return view;
}

/** Throws INVALID_INPUT for limits that do not fit each other, or the purpose. */
export function assertView(purpose: Purpose, view: PublisherView): void {
  const issues: FieldFault[] = [...uselessConstraints(view)];
  if (purpose === 'publish') {
    if (view.packages === null)
      issues.push({ path: 'packages', message: 'must name the packages to publish, such as ["acme/app"]' });
    for (const name of ['constraints', 'stability', 'not_after'] as const)
      if (view[name] !== null) issues.push({ path: name, message: 'is only for the purpose `read`' });
  }
  if (issues.length > 0) throw invalidInput(...issues);
}
