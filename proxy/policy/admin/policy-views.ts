// The policy about versions as API, commands and console show and take it. The form of the document is that of
// policy.json: proxy/policy/model/policy-schema.ts.

import { z } from 'zod';
import {
  exceptionSchema,
  mostExceptions,
  mostRules,
  policySchema,
  ruleName,
  ruleSchema,
} from '../model/policy-schema.ts';
import { actions } from '../model/words.ts';
import { hitSchema } from '../records/policy-hits.ts';
import { time, timeSchema } from '../../registry/fields.ts';
import type { Fixed } from '../../registry/operation.ts';

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
const rule = ruleSchema.clone().meta({ id: 'PolicyRule', description: 'a rule about versions', example: ruleExample });
const exception = exceptionSchema
  .clone()
  .meta({ id: 'PolicyException', description: 'an exception from a rule', example: exceptionExample });
const rules = z.array(rule).max(mostRules).meta({ description: 'the rules, in the order in which messages name them' });
const exceptions = z
  .array(exception)
  .max(mostExceptions)
  .meta({ description: 'what rules allow although they would block it, until a day' });
const { $schema } = policySchema.shape;
const document = policySchema.clone().extend({
  $schema: $schema.clone().meta({ description: 'for editors: the address of the JSON Schema; it has no effect' }),
  rules,
  exceptions: exceptions.optional(),
});

const example = { rules: [ruleExample], exceptions: [exceptionExample] };

export const policyDocument = document.meta({ id: 'PolicyDocument', example });

export const policyDraft = document
  .extend({
    revision: z.string().max(100).optional().meta({
      description: '`revision` of the policy that the change is based on: after a change by others, it is refused',
    }),
  })
  .meta({ id: 'PolicyDraft', example });

export const policyView = z
  .object({
    rules,
    exceptions,
    rules_of_settings: z
      .array(rule)
      .meta({ description: 'rules that the settings `mirroring.*` describe; they come first' }),
    revision: z.string().meta({ description: 'names this policy, for a change that is based on it' }),
    file: z
      .string()
      .nullable()
      .meta({ description: 'the policy file, which alone changes the rules then; null: the API changes them' }),
    fault: z.string().nullable().meta({
      description:
        'why the policy file cannot be used now, while the last good policy stays in effect; null: nothing is wrong',
    }),
  })
  .meta({ id: 'Policy' });
export type PolicyView = Fixed<z.output<typeof policyView>>;

const issue = z.object({
  path: z.string().meta({ description: 'the place in the document; empty: all of it', example: 'rules[0].severity' }),
  message: z.string().meta({ description: 'what is wrong there' }),
});

export const policyCheck = z
  .object({
    issues: z.array(issue).meta({ description: 'faults: a policy with one is refused' }),
    remarks: z
      .array(issue)
      .meta({ description: 'rules that can never match, exceptions that ended, and lists that nobody publishes' }),
    difference: z
      .array(
        z.object({
          change: z.enum(['added', 'removed', 'changed', 'moved']).meta({ description: 'what happens to it' }),
          rule: rule.optional(),
          before: rule.optional(),
          exception: exception.optional(),
        }),
      )
      .meta({
        description:
          'what changes against the policy in effect, for a `changed` rule with the rule `before`; empty for a faulty policy',
      }),
  })
  .meta({ id: 'PolicyCheck' });

const name = z.string().meta({ description: 'the name of the package', example: 'acme/hello' });
const version = z.string().meta({ description: 'the version', example: '1.2.0' });
const origin = z
  .enum(['private', 'mirrored'])
  .meta({ description: '`private`: published here. `mirrored`: of another registry' });
const nameOfRule = ruleName.clone().meta({ description: 'the name of the rule', example: 'malware' });
const action = z.enum(actions).meta({ description: 'the action of the rule' });
const because = z.string().meta({ description: 'the reason; it completes a sentence', example: 'it is abandoned' });
const days = 'in the last 90 days';

export const policyTest = z
  .object({
    examined: z.int().meta({ description: 'the number of versions that were looked at' }),
    counts: z
      .array(
        z.object({
          rule: nameOfRule,
          action,
          versions: z.int().meta({ description: 'versions that the rule concerns' }),
          used: z.int().meta({ description: `those of them that were used ${days}` }),
          tokens: z.int().meta({ description: `tokens that see one of them and were used ${days}` }),
        }),
      )
      .meta({ description: 'one row for each rule, with versions that are not listed' }),
    versions: z
      .array(
        z.object({
          name,
          version,
          origin,
          rule: nameOfRule,
          action,
          because,
          already: z.boolean().meta({ description: 'whether the policy in effect says the same of it' }),
          used: z.int().meta({ description: `installs and downloads ${days}` }),
          tokens: z.array(z.string()).meta({ description: `ids of tokens that see the version and were used ${days}` }),
        }),
      )
      .meta({ description: 'used versions first; at most 1000' }),
  })
  .meta({ id: 'PolicyTest' });
export type PolicyTest = Fixed<z.output<typeof policyTest>>;
export type TestedVersion = PolicyTest['versions'][number];

const decision = z
  .object({
    by: z
      .string()
      .meta({ description: 'who decided: by email for people who may list users', example: 'ada@example.org' }),
    at: timeSchema('it was decided'),
    reason: z.string().meta({ description: 'why' }),
  })
  .nullable();

export const explainedVersion = z
  .object({
    name,
    version,
    origin,
    malware: z.string().nullable().meta({
      description: 'who says that it is malware, and why; null: nobody',
      example: 'MAL-2026-123: Steals keys',
    }),
    outcome: z.enum(['offered', 'blocked', 'served', 'staged']).meta({
      description:
        '`staged`: uploaded, and no client sees it until a person approves it. ' +
        '`blocked`: absent from the metadata, and its archive is refused. `served`: absent, by a rule or since it is ' +
        'withdrawn, but an archive that the registry has is still sent, for lock files',
    }),
    findings: z
      .array(
        z.object({
          rule: nameOfRule,
          action,
          because,
          held: z.boolean().meta({ description: 'whether the version waits, until time or a person decides' }),
          exception: exception.nullable().meta({ description: 'the exception that holds now; null: none' }),
        }),
      )
      .meta({ description: 'what rules have against the version' }),
    passed: z
      .array(nameOfRule)
      .meta({ description: 'rules that concern the package and have nothing against this version' }),
    former_reference: z.string().nullable().meta({
      description: 'of the archive that was stored before an upstream moved the tag, and stays in use; null: none',
    }),
    approval: decision.meta({ description: 'the approval that lets through what a rule would hold; null: none' }),
    rejection: decision.meta({ description: 'the rejection that keeps it out; null: none' }),
  })
  .meta({ id: 'ExplainedVersion' });
export type ExplainedVersion = Fixed<z.output<typeof explainedVersion>>;

export const policyHit = hitSchema.clone().meta({ id: 'PolicyHit' });

export const policyFeed = z
  .object({
    id: z.string().meta({ description: 'the id of the feed', example: 'osv' }),
    kind: z.string().meta({ description: 'where its rows come from', example: 'osv' }),
    url: z.string().meta({ description: 'the address of the feed', example: 'https://api.osv.dev' }),
    rows: z.int().meta({ description: 'rows of the copy in use' }),
    fetched_at: time.nullable().meta({ description: 'when the copy in use was fetched; null: never' }),
    failing_since: time.nullable().meta({ description: 'since when the feed fails; null: it does not' }),
    problem: z.string().nullable().meta({
      description:
        'what is wrong, such as a damaged file or packages without an answer, or a remark on its rows; null: nothing',
    }),
    shrunk: z
      .object({
        from: z.int().meta({ description: 'rows of the copy in use' }),
        to: z.int().meta({ description: 'rows of the newest answer' }),
      })
      .nullable()
      .meta({ description: 'the newest answer is much smaller than the copy in use, which stays; null: it is not' }),
  })
  .meta({ id: 'PolicyFeed' });
export type FeedView = Fixed<z.output<typeof policyFeed>>;
