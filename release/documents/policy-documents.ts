// The documents of the commands about the policy.

import { z } from 'zod';
import { heldRelease } from '../../proxy/policy/admin/held-schema.ts';
import { policyFeed, policyHit } from '../../proxy/policy/admin/policy-views.ts';
import { exceptionSchema, ruleSchema } from '../../proxy/policy/model/policy-schema.ts';
import { actions } from '../../proxy/policy/model/words.ts';
import * as part from './parts.ts';

const { count, flag, name, orNull, text, texts, time, version } = part;

const action = z.enum(actions).describe('what the rule does');
const rule = text('the name of the rule');
const because = text('completes a sentence: it is abandoned');
const origin = z.enum(['private', 'mirrored']).describe('where the package is from');
const rules = (description: string) => z.array(ruleSchema).describe(description);
const revision = text('for --if-revision; none: no policy is stored');

const given = ruleSchema.describe('the rule');
const difference = z
  .array(
    z.union([
      z.object({ change: z.enum(['added', 'removed', 'moved']).describe('what changes'), rule: given }),
      z.object({
        change: z.literal('changed').describe('what changes'),
        rule: given,
        before: ruleSchema.describe('the rule before'),
      }),
      z.object({
        change: z.enum(['added', 'removed']).describe('what changes'),
        exception: exceptionSchema.describe('the exception'),
      }),
    ]),
  )
  .describe('what changes against the policy in effect; empty for a faulty policy');

const issues = (description: string) =>
  z
    .array(
      z.object({
        path: text('the place, such as rules[2].severity; empty: the whole policy'),
        message: text('the fault'),
      }),
    )
    .describe(description);
const remarks = issues('rules that can never match, exceptions that ended or cover nothing, and unknown names');

const decision = z.object({ by: text('who decided'), at: time('when it was decided'), reason: text('why') }).nullable();

export const explained = z.object({
  name,
  version,
  origin,
  malware: text('who says that it is malware, and why; null: nobody').nullable(),
  outcome: z
    .enum(['offered', 'blocked', 'served', 'staged'])
    .describe(
      'blocked: absent from the metadata, and its archive is refused. served: its archive is still sent. staged: no ' +
        'client sees it until a person approves it',
    ),
  findings: z
    .array(
      z.object({
        rule,
        action,
        because,
        held: flag('the version waits, until time or a person decides'),
        exception: exceptionSchema.nullable().describe('the exception that holds now; null: none'),
      }),
    )
    .describe('what rules have against the version'),
  passed: texts('names of rules that concern the package and have nothing against this version'),
  former_reference: z
    .string()
    .nullable()
    .describe('of the archive that was stored before an upstream moved the tag, and stays in use; null: none'),
  approval: decision.describe('the approval that lets through what a rule would hold; null: none'),
  rejection: decision.describe('the rejection that keeps it out; null: none'),
});

export const policyDocuments = {
  'policy show': z.object({
    rules: rules('the rules of the policy'),
    exceptions: z.array(exceptionSchema).describe('the exceptions from rules'),
    rules_of_settings: rules('rules that the settings mirroring.* describe; they come first'),
    revision,
    file: orNull(z.string(), 'the policy file; null: the policy is in the state'),
    fault: z.null().describe('always null: a policy file with a fault has no document'),
  }),
  'policy check': z.object({ issues: issues('faults: such a policy is refused'), remarks, difference }),
  'policy set': z.object({ revision, difference, remarks }),
  'policy test': z.object({
    versions: z
      .array(
        z.object({
          name,
          version,
          origin,
          rule,
          action,
          because,
          already: flag('the policy in effect says the same of it'),
          used: count('installs, or sent archives, in the last 90 days'),
          tokens: texts('ids of tokens that see the version and were used in the last 90 days'),
        }),
      )
      .describe('used versions first, then by name; at most 1000'),
    counts: z
      .array(
        z.object({
          rule,
          action,
          versions: count('versions that the rule concerns'),
          used: count('their installs, or sent archives, in the last 90 days'),
          tokens: count('tokens that see one of them'),
        }),
      )
      .describe('one entry for each rule'),
    examined: count('versions that were looked at'),
  }),
  'policy explain': explained,
  'policy hits': z.object({ hits: z.array(policyHit).describe('first hits, newest first') }),
  'policy held': z.object({ held: z.array(heldRelease).describe('the held releases') }),
  'policy approve': z.union([heldRelease, part.inConsole]),
  'policy reject': z.union([heldRelease, part.inConsole]),
  'policy feeds': z.union([z.object({ feeds: z.array(policyFeed).describe('the feeds') }), part.inConsole]),
  'policy protect': z.object({ dry_run: flag('nothing was changed'), difference, revision }),
  'policy import-settings': z.object({
    dry_run: flag('nothing was changed'),
    rules: rules('the new rules'),
    settings: texts('settings that are unset'),
    difference,
    revision,
  }),
};
