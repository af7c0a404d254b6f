// The fields of the forms that make and edit a publisher: from the form to the service, and from a publisher to the
// form. Pure.

import { refRules, workflowClaims, type Purpose } from '../../../publishers/model/publisher.ts';
import type { PublisherDocument, PublisherFields } from '../../../publishers/records/publisher-schema.ts';
import { FormFields, fieldFaults } from '../../request/form-fields.ts';
import type { FieldFault } from '../../../../build/contract/errors.ts';

/** The fields with one entry a line. */
export const publisherLists = ['packages', 'claims', 'constraints'];

/** Throws INVALID_INPUT for lines without a value; the service checks the rest. */
export function publisherDraftOf(fields: FormFields, purpose: Purpose): PublisherFields {
  const issues: FieldFault[] = [];
  const claims = pairsOf(fields, 'claims', /^([^\s=]+)\s*=\s*(.+)$/, 'claim = value', issues);
  const versions = pairsOf(fields, 'constraints', /^(\S+)\s+(?:=\s+)?(.+)$/, 'acme/core <3.0', issues);
  if (issues.length > 0) throw fieldFaults(issues);
  const packages = fields.lines('packages');
  return {
    name: fields.optional('name'),
    repository: fields.optional('repository') ?? null,
    repository_id: fields.optional('repository_id') ?? null,
    owner_id: fields.optional('owner_id') ?? null,
    workflow: fields.optional('workflow') ?? null,
    workflow_claim: workflowClaims.find((one) => one === fields.text('workflow_claim')),
    environment: fields.optional('environment') ?? null,
    refs: refRules.find((one) => one === fields.text('refs')),
    claims,
    token_minutes: numberIn(fields, 'token_minutes'),
    exchanges_per_hour: numberIn(fields, 'exchanges_per_hour'),
    packages: packages.length === 0 ? null : packages,
    // the form has these fields for every purpose
    ...(purpose === 'read' && {
      constraints: Object.keys(versions).length === 0 ? null : versions,
      // the service refuses an unknown one
      stability: (fields.optional('stability') ?? null) as PublisherFields['stability'],
      not_after: fields.optional('not_after') ?? null,
    }),
  };
}

/** What the form of a publisher shows at first. */
export function publisherValues(record: PublisherDocument): Readonly<Record<string, string>> {
  const { packages, constraints, not_after: notAfter, claims } = record;
  const lines = (pairs: Readonly<Record<string, string>>, between: string): string =>
    Object.entries(pairs)
      .map(([key, value]) => `${key}${between}${value}`)
      .join('\n');
  return {
    name: record.name,
    repository: record.repository ?? '',
    repository_id: record.repository_id ?? '',
    owner_id: record.owner_id ?? '',
    workflow: record.workflow ?? '',
    workflow_claim: record.workflow_claim,
    environment: record.environment ?? '',
    refs: record.refs,
    claims: lines(claims, ' = '),
    token_minutes: String(record.token_minutes),
    exchanges_per_hour: String(record.exchanges_per_hour),
    packages: (packages ?? []).join('\n'),
    constraints: lines(constraints ?? {}, ' '),
    stability: record.stability ?? '',
    not_after: notAfter === null ? '' : notAfter.replace(/T23:59:59\.999Z$/, ''),
  };
}

/** What the form changes; undefined: nothing. Throws INVALID_INPUT. */
export function publisherChanges(record: PublisherDocument, fields: FormFields): PublisherFields | undefined {
  const before = publisherDraftOf(new FormFields(new URLSearchParams(publisherValues(record))), record.purpose);
  const now = { ...publisherDraftOf(fields, record.purpose), name: fields.text('name') };
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof before]),
  );
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function pairsOf(
  fields: FormFields,
  name: string,
  pattern: RegExp,
  example: string,
  issues: FieldFault[],
): Readonly<Record<string, string>> {
  const pairs = new Map<string, string>();
  for (const line of fields.lines(name)) {
    const [, key = '', value = ''] = pattern.exec(line) ?? [];
    if (key === '') issues.push({ path: name, message: `“${line.slice(0, 80)}” is not of the form ${example}.` });
    else if (pairs.has(key)) issues.push({ path: name, message: `Two lines are about ${key}. Keep one of them.` });
    else pairs.set(key, value);
  }
  return Object.fromEntries(pairs);
}

/** undefined: the field is empty. NaN, which the service refuses, for a text that is no number. */
function numberIn(fields: FormFields, name: string): number | undefined {
  const text = fields.optional(name);
  if (text === undefined) return undefined;
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
}
