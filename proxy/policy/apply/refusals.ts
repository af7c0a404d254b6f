// The answers of the policy: 410 for the archive of a blocked version, and 400 for a version of Composer.

import { errorAnswer, type Answer } from '../../core/http/answer.ts';
import type { RuleFinding } from '../judge/judge.ts';
import type { RuleOf } from '../model/policy-document.ts';

/** `forComposer`: the client is Composer, which shows only the key `warning` to its user. */
export function blockedAnswer(
  { name, version }: { readonly name: string; readonly version: string },
  { rule, because }: RuleFinding,
  forComposer: boolean,
): Answer {
  const message =
    `${name} ${version} is blocked by the rule ${rule.name} of this registry: ${because}. ` +
    (rule.message ?? 'Require another version, or ask the operator of this registry for an exception.');
  return errorAnswer('VERSION_BLOCKED', {
    message,
    details: { package: name, version, rule: rule.name, reason: because },
    forComposer,
  });
}

export function clientAnswer(version: string, { name, versions, message }: RuleOf<'composer'>): Answer {
  return errorAnswer('CLIENT_NOT_ALLOWED', {
    message:
      `Composer ${version} may not use this registry: the rule ${name} allows ${versions}. ` +
      (message ?? 'Update it with `composer self-update`.'),
    details: { rule: name, versions, composer: version },
    forComposer: true,
  });
}

export function isComposer(userAgent: string | undefined): boolean {
  return userAgent?.startsWith('Composer/') === true;
}
