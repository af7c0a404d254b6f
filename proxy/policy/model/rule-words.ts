// A rule of the policy in words, as commands and the console show it: what it looks for, which packages it concerns,
// and where it acts. Pure.

import { decisiveKinds } from '../../../build/review/capabilities.ts';
import { spanText } from '../../../build/shared/text/span-text.ts';
import type { Rule } from './policy-document.ts';

const maxNamed = 6;

/** Completes “looks for”. */
export function soughtWords(rule: Rule): string {
  switch (rule.rule) {
    case 'advisories': {
      const { severity = 'low', ignore = [] } = rule;
      const least = severity === 'low' ? 'a security advisory' : `a security advisory, ${severity} or worse`;
      return ignore.length === 0 ? least : `${least}, except ${listed(ignore)}`;
    }
    case 'filter':
      return `an entry in the filter ${rule.lists.length === 1 ? 'list' : 'lists'} ${listed(rule.lists)}`;
    case 'age':
      return `younger than ${ageOf(rule)}${rule.by === 'time' ? ' by the time of the author' : ''}`;
    case 'license':
      return `another licence than ${listed(rule.allow)}`;
    case 'abandoned':
      return 'an abandoned package';
    case 'plugin':
      return rule.allow.length === 0 ? 'a Composer plugin' : `a Composer plugin other than ${listed(rule.allow)}`;
    case 'capability':
      return `a release that gained ${listed(rule.kinds ?? decisiveKinds)}, ${rule.days === undefined ? 'until somebody approves it' : `for ${spanText(Math.round(rule.days * 86_400))}`}`;
    case 'required':
      return `without ${rule.fields.map((field) => fieldWords[field]).join(' or ')}`;
    case 'source':
      return 'the source in the metadata';
    case 'composer':
      return `a Composer that is not ${rule.versions}`;
  }
}

const fieldWords = {
  license: 'a licence',
  readme: 'a README',
  'signed-tag': 'a tag signed by a known key (releases only)',
} as const;

function ageOf({ days, seconds }: Extract<Rule, { readonly rule: 'age' }>): string {
  return spanText(seconds ?? Math.round((days ?? 0) * 86_400));
}

/** The versions that the rule concerns. */
export function scopeWords(rule: Rule): string {
  const tokens =
    rule.tokens === undefined ? [] : [`for ${rule.tokens.length} ${rule.tokens.length === 1 ? 'token' : 'tokens'}`];
  if (rule.rule === 'composer') return ['all requests of Composer', ...tokens].join(', ');
  const { packages, except = [] } = rule;
  const stability = rule.rule === 'source' ? undefined : rule.stability;
  const origin = rule.rule === 'required' || rule.rule === 'source' ? 'private' : rule.origin;
  return [
    packages === undefined ? `all ${origin === undefined ? '' : `${origin} `}packages` : listed(packages),
    ...(packages !== undefined && origin !== undefined ? [`${origin} only`] : []),
    ...(stability === undefined ? [] : [stability === 'stable' ? 'releases only' : 'branches only']),
    ...(except.length === 0 ? [] : [`except ${listed(except)}`]),
    ...tokens,
  ].join(', ');
}

/** Where clients notice it. */
export function placeWords(rule: Rule): string {
  if (rule.rule === 'source') return 'metadata: without the source';
  const request = rule.rule === 'composer';
  if (rule.action === 'warn') return 'Composer prints a warning';
  if (rule.action === 'log') return 'first hits, audit log and metrics';
  if (request) return 'each request is refused';
  return rule.archives === 'serve' ? 'metadata, and archives that are not here yet' : 'metadata and archives';
}

/** `acme/*, other/tool and 3 more` */
export function listed(words: readonly string[]): string {
  const left = words.length - maxNamed;
  return `${words.slice(0, maxNamed).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
