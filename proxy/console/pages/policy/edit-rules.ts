// The policy in the form, as its cards and templates change it: from the fields to the JSON, and back. Pure.

import type { JsonObject, JsonValue } from '../../../../build/contract/json.ts';
import { parsePolicyText, type PolicyIssue } from '../../../policy/model/parse-policy.ts';
import type { PolicyDocument, PolicyException, Rule } from '../../../policy/model/policy-document.ts';
import type { FormFields } from '../../request/form-fields.ts';
import type { PolicyAdmin } from '../../../policy/admin/policy-admin.ts';
import type { PolicyCheck } from '../../../policy/admin/change-policy.ts';
import { withCapital } from '../../components/page-words.ts';
import type { PolicyTest } from '../../../policy/admin/policy-views.ts';

/** What most registries want, with the sentence on its button. */
export const templates: readonly (readonly [label: string, rule: JsonObject])[] = [
  ['Block malware', { name: 'malware', rule: 'filter', lists: ['malware'], action: 'block' }],
  ['Block severe advisories', { name: 'advisories', rule: 'advisories', severity: 'high', action: 'block' }],
  ['Hold back young versions', { name: 'age', rule: 'age', days: 3, origin: 'mirrored', action: 'block' }],
  ['Allow some licences', { name: 'licences', rule: 'license', allow: ['MIT', 'BSD-*', 'Apache-2.0'], action: 'warn' }],
  ['Warn of abandoned packages', { name: 'abandoned', rule: 'abandoned', action: 'warn' }],
];

const editable = ['action', 'severity', 'days', 'allow', 'packages', 'except', 'message', 'reason', 'until'] as const;
export type CardField = (typeof editable)[number];
/** Without a value they are left out. */
const optional: readonly string[] = ['packages', 'except', 'message'];
const lists: readonly string[] = ['packages', 'except', 'allow'];

/** Each rule and exception, with the part of the names of its fields: `days.2`, `reason.exception-0`. */
export function cardsOf({
  rules,
  exceptions,
}: PolicyDocument): readonly (readonly [id: string, Rule | PolicyException])[] {
  return [
    ...rules.map((rule, at) => [`${at}`, rule] as const),
    ...exceptions.map((exception, at) => [`exception-${at}`, exception] as const),
  ];
}

/** What a card changes, as texts: a list with commas. */
export function cardValues(one: Rule | PolicyException): readonly (readonly [CardField, string])[] {
  const all: Partial<Record<CardField, unknown>> = 'until' in one ? one : { ...emptyFields(one), ...one };
  return editable.flatMap((name) => (all[name] === undefined ? [] : [[name, [all[name]].flat().join(', ')] as const]));
}

function emptyFields({ rule }: Rule): Partial<Record<CardField, string>> {
  return {
    ...(rule === 'advisories' && { severity: 'low' }),
    ...(rule !== 'composer' && { packages: '', except: '' }),
    ...(rule !== 'source' && { message: '' }),
  };
}

/** The JSON that was posted, with the changes of the cards. */
export function editedPolicy(fields: FormFields): string {
  const text = fields.text('policy');
  if (fields.text('view') !== 'cards' || 'issues' in parsePolicyText(text)) return text;
  const { exceptions, ...document } = JSON.parse(text) as Record<
    'rules' | 'exceptions',
    readonly (Rule | PolicyException)[] | undefined
  >;
  const kept = (all: readonly (Rule | PolicyException)[] = [], kind = '') =>
    all.flatMap((one, at) =>
      fields.checked(`remove.${kind}${at}`) ? [] : [{ ...one, ...changed(fields, `${kind}${at}`, one) }],
    );
  const added = templates.filter(([, { name }]) => name === fields.text('add')).map(([, rule]) => rule);
  const rules = [...kept(document.rules), ...added];
  return JSON.stringify({ ...document, rules, exceptions: exceptions && kept(exceptions, 'exception-') }, undefined, 2);
}

/** A field that shows what it showed before changes nothing. */
function changed(fields: FormFields, id: string, one: Rule | PolicyException): object {
  const before = new Map(cardValues(one));
  const given = editable.filter(
    (name) => fields.checked(`${name}.${id}`) && fields.text(`${name}.${id}`) !== before.get(name),
  );
  return Object.fromEntries(
    given.map((name) => {
      const text = fields.text(`${name}.${id}`);
      if (text === '' && optional.includes(name)) return [name, undefined];
      if (lists.includes(name)) return [name, text.split(/[\s,]+/).filter((part) => part !== '')];
      return [name, name === 'days' && text !== '' ? Number(text) : text];
    }),
  );
}

type Named = { readonly name?: unknown; readonly rule?: unknown } | null;

/** Says `rule 2, “age”: days` for `rules[1].days`. `text`: the policy, which is JSON if it has such a place. */
export function placesIn(text: string): (words: string) => string {
  let document: Readonly<Record<string, readonly Named[]>> | undefined;
  return (words) =>
    words.replaceAll(/\b(rule|exception)s\[(\d+)\](\.(?=\w))?/g, (_, kind: string, at: string, dot = '') => {
      document ??= JSON.parse(text) as NonNullable<typeof document>;
      const one = document[`${kind}s`]?.[Number(at)];
      const name = one?.name ?? one?.rule;
      return `${kind} ${Number(at) + 1}${typeof name === 'string' ? `, “${name}”` : ''}${dot && ': '}`;
    });
}

// Tries the policy in a text: its faults, or what it would change and concern.

export interface PolicyTrial {
  readonly check: PolicyCheck;
  /** undefined: the policy has faults */
  readonly test: PolicyTest | undefined;
}

export async function tryText(policyAdmin: Pick<PolicyAdmin, 'check' | 'test'>, text: string): Promise<PolicyTrial> {
  const parsed = parsePolicyText(text);
  const inWords = placesIn(text);
  const said = ({ path, message }: PolicyIssue): PolicyIssue => ({
    path: withCapital(inWords(path)),
    message: inWords(message),
  });
  const read = (): JsonValue => JSON.parse(text) as JsonValue;
  const found = 'issues' in parsed ? { ...parsed, remarks: [], difference: [] } : await policyAdmin.check(read());
  const check = { ...found, issues: found.issues.map(said), remarks: found.remarks.map(said) };
  return { check, test: found.issues.length > 0 ? undefined : await policyAdmin.test(read()) };
}
