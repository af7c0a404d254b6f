// The policy about versions in requests and answers of the management API. The form of the document is that of
// policy.json: proxy/policy/model/policy-schema.ts.

import { z } from '@hono/zod-openapi';
import {
  exceptionSchema,
  mostExceptions,
  mostRules,
  policySchema,
  ruleName,
  ruleSchema,
} from '../../policy/model/policy-schema.ts';
import { actions } from '../../policy/model/words.ts';
import { time, timeSchema } from './time.ts';

const ruleExample = { rule: 'filter', name: 'malware', action: 'block', lists: ['malware'] };
const exceptionExample = {
  rule: 'malware',
  packages: ['acme/hello'],
  versions: '^1.2',
  owner: 'ada@example.org',
  reason: 'The entry of the list is wrong.',
  until: '2026-12-31',
};

// a clone has the method `openapi`, whichever module was loaded first
const rule = ruleSchema.clone().openapi('PolicyRule', { description: 'a rule about versions', example: ruleExample });
const exception = exceptionSchema
  .clone()
  .openapi('PolicyException', { description: 'an exception from a rule', example: exceptionExample });
const rules = z
  .array(rule)
  .max(mostRules)
  .openapi({ description: 'the rules, in the order in which messages name them' });
const exceptions = z
  .array(exception)
  .max(mostExceptions)
  .openapi({ description: 'what rules allow although they would block it, until a day' });
const { $schema } = policySchema.shape;
const document = policySchema.clone().extend({
  $schema: $schema.clone().openapi({ description: 'for editors: the address of the JSON Schema; it has no effect' }),
  rules,
  exceptions: exceptions.optional(),
});

const example = { rules: [ruleExample], exceptions: [exceptionExample] };

export const policyDocument = document.openapi('PolicyDocument', { example });

export const policyDraft = document
  .extend({
    revision: z.string().max(100).optional().openapi({
      description: '`revision` of the policy that the change is based on: after a change by others, it is refused',
    }),
  })
  .openapi('PolicyDraft', { example });

export const policyView = z
  .object({
    rules,
    exceptions,
    rules_of_settings: z
      .array(rule)
      .openapi({ description: 'rules that the settings `mirroring.*` describe; they come first' }),
    revision: z.string().openapi({ description: 'names this policy, for a change that is based on it' }),
    file: z
      .string()
      .nullable()
      .openapi({ description: 'the policy file, which alone changes the rules then; null: the API changes them' }),
    fault: z.string().nullable().openapi({
      description:
        'why the policy file cannot be used now, while the last good policy stays in effect; null: nothing is wrong',
    }),
  })
  .openapi('Policy');

const issue = z.object({
  path: z
    .string()
    .openapi({ description: 'the place in the document; empty: all of it', example: 'rules[0].severity' }),
  message: z.string().openapi({ description: 'what is wrong there' }),
});

export const policyCheck = z
  .object({
    issues: z.array(issue).openapi({ description: 'faults: a policy with one is refused' }),
    remarks: z
      .array(issue)
      .openapi({ description: 'rules that can never match, exceptions that ended, and lists that nobody publishes' }),
    difference: z
      .array(
        z.object({
          change: z.enum(['added', 'removed', 'changed', 'moved']).openapi({ description: 'what happens to it' }),
          rule: rule.optional(),
          before: rule.optional(),
          exception: exception.optional(),
        }),
      )
      .openapi({
        description:
          'what changes against the policy in effect, for a `changed` rule with the rule `before`; empty for a faulty policy',
      }),
  })
  .openapi('PolicyCheck');

const name = z.string().openapi({ description: 'the name of the package', example: 'acme/hello' });
const version = z.string().openapi({ description: 'the version', example: '1.2.0' });
const origin = z
  .enum(['private', 'mirrored'])
  .openapi({ description: '`private`: published here. `mirrored`: of another registry' });
const nameOfRule = ruleName.clone().openapi({ description: 'the name of the rule', example: 'malware' });
const action = z.enum(actions).openapi({ description: 'the action of the rule' });
const because = z.string().openapi({ description: 'the reason; it completes a sentence', example: 'it is abandoned' });
const days = 'in the last 90 days';

export const policyTest = z
  .object({
    examined: z.int().openapi({ description: 'the number of versions that were looked at' }),
    counts: z
      .array(
        z.object({
          rule: nameOfRule,
          action,
          versions: z.int().openapi({ description: 'versions that the rule concerns' }),
          used: z.int().openapi({ description: `those of them that were used ${days}` }),
          tokens: z.int().openapi({ description: `tokens that see one of them and were used ${days}` }),
        }),
      )
      .openapi({ description: 'one row for each rule, with versions that are not listed' }),
    versions: z
      .array(
        z.object({
          name,
          version,
          origin,
          rule: nameOfRule,
          action,
          because,
          already: z.boolean().openapi({ description: 'whether the policy in effect says the same of it' }),
          used: z.int().openapi({ description: `installs and downloads ${days}` }),
          tokens: z
            .array(z.string())
            .openapi({ description: `ids of tokens that see the version and were used ${days}` }),
        }),
      )
      .openapi({ description: 'used versions first; at most 1000' }),
  })
  .openapi('PolicyTest');

export const explainedVersion = z
  .object({
    name,
    version,
    origin,
    outcome: z.enum(['offered', 'blocked', 'served']).openapi({
      description:
        '`blocked`: absent from the metadata, and its archive is refused. `served`: absent, by a rule or since it is ' +
        'withdrawn, but an archive that the registry has is still sent, for lock files',
    }),
    findings: z
      .array(
        z.object({
          rule: nameOfRule,
          action,
          because,
          exception: exception.nullable().openapi({ description: 'the exception that holds now; null: none' }),
        }),
      )
      .openapi({ description: 'what rules have against the version' }),
    passed: z
      .array(nameOfRule)
      .openapi({ description: 'rules that concern the package and have nothing against this version' }),
  })
  .openapi('ExplainedVersion');

export const policyHit = z
  .object({
    rule: nameOfRule,
    action,
    name: name.nullable().openapi({ description: 'the name of the package; null: a version of Composer was refused' }),
    version: z.string().openapi({ description: 'of the package, or of Composer', example: '1.2.0' }),
    because,
    token: z.string().nullable().openapi({ description: 'the id of the token that asked first; null: unknown' }),
    at: timeSchema('it was asked for first'),
  })
  .openapi('PolicyHit');

export const policyFeed = z
  .object({
    id: z.string().openapi({ description: 'the id of the feed', example: 'osv' }),
    kind: z.string().openapi({ description: 'where its rows come from', example: 'osv' }),
    url: z.string().openapi({ description: 'the address of the feed', example: 'https://api.osv.dev' }),
    rows: z.int().openapi({ description: 'rows of the copy in use' }),
    fetched_at: time.nullable().openapi({ description: 'when the copy in use was fetched; null: never' }),
    failing_since: time.nullable().openapi({ description: 'since when the feed fails; null: it does not' }),
    problem: z.string().nullable().openapi({
      description:
        'what is wrong, such as a damaged file or packages without an answer, or a remark on its rows; null: nothing',
    }),
    shrunk: z
      .object({
        from: z.int().openapi({ description: 'rows of the copy in use' }),
        to: z.int().openapi({ description: 'rows of the newest answer' }),
      })
      .nullable()
      .openapi({ description: 'the newest answer is much smaller than the copy in use, which stays; null: it is not' }),
  })
  .openapi('PolicyFeed');
