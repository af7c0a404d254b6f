// The form of policy.json: the schema of its rules and exceptions. The parser, the JSON Schema and the API use it.
// Pure.

import { z } from 'zod';
import { parseConstraint } from '../../../build/contract/constraint.ts';
import { capabilityKinds, decisiveKinds } from '../../../build/review/capabilities.ts';
import { parsePackagePattern } from '../../core/views/package-pattern.ts';
import { actions, clocks, requiredFields, severities } from './words.ts';

export const mostRules = 200;
export const mostExceptions = 2000;
const mostEntries = 1000;
const longestText = 500;

const line = (most = longestText) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must be one line of text without control characters');

const pattern = z
  .string()
  .max(250)
  .refine(
    (text) => parsePackagePattern(text) !== undefined,
    'must be a package pattern such as acme/core, acme/* or *',
  );

const patternList = z.array(pattern).min(1).max(mostEntries);

const constraint = z
  .string()
  .min(1)
  .max(longestText)
  .refine((text) => !('refusal' in parseConstraint(text)), 'must be a Composer constraint such as ^1.2 or >=2 <3');

export const ruleName = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:[._-][a-z0-9]+)*$/, 'must be lower-case letters and digits, with - . or _ between them');

const name = ruleName.describe('the name of the rule, for messages and exceptions');
const action = z
  .enum(actions)
  .describe('block: the version is not offered. warn: Composer prints a warning. log: the registry notes the use');
const tokens = z
  .array(
    z
      .string()
      .max(68)
      .regex(/^tok_[0-9A-Za-z]{1,64}$/, 'must be the id of a token, such as tok_…'),
  )
  .min(1)
  .max(mostEntries)
  .optional()
  .describe('the rule concerns requests with these tokens only; default: all');
const message = line().optional().describe('a further sentence for the person who installs, such as whom to ask');

const names = {
  packages: patternList.optional().describe('patterns of the packages that the rule concerns; default: all'),
  except: patternList.optional().describe('patterns of packages that the rule does not concern'),
  tokens,
};
const scope = {
  ...names,
  stability: z
    .enum(['stable', 'dev'])
    .optional()
    .describe('stable: releases only, with alpha, beta and RC. dev: branches only. Default: both'),
};
const origin = z
  .enum(['private', 'mirrored'])
  .optional()
  .describe('private: packages that are published here. mirrored: packages of other registries. Default: both');
const archives = z
  .enum(['refuse', 'serve'])
  .optional()
  .describe(
    'for `block`. refuse (default): the archive is refused too, also for lock files. serve: archives that this registry ' +
      'already has are still sent',
  );
const common = { name, action, ...scope, origin, archives, message };
const kind = <Kind extends string>(text: Kind, description: string) => z.literal(text).describe(description);

const positive = 'must be more than 0';
/** OpenAPI 3.0 has another form of `exclusiveMinimum` than JSON Schema, so the minimum here is 0. */
export const days = z
  .number()
  .min(0, { error: positive, abort: true })
  .max(365)
  .refine((count) => count > 0, positive);

const seconds = z
  .int()
  .min(1)
  .max(365 * 86_400);

const dayOrMoment = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z)?$/;

export const ruleSchema = z.discriminatedUnion('rule', [
  z.strictObject({
    rule: kind('advisories', 'versions with a security advisory'),
    ...common,
    severity: z
      .enum(severities)
      .optional()
      .describe('the lowest severity that counts; an advisory without a severity always counts. Default: low'),
    ignore: z
      .array(line(100))
      .max(mostEntries)
      .optional()
      .describe('ids of advisories, such as CVE-2026-1234 or GHSA-…'),
  }),
  z.strictObject({
    rule: kind('filter', 'versions that a filter list names'),
    ...common,
    lists: z.array(line(64)).min(1).max(100).describe('names of filter lists; malware has advisories MAL-… too'),
  }),
  z.strictObject({
    rule: kind('age', 'versions that are too young'),
    ...common,
    days: days.optional().describe('the least age in days'),
    seconds: seconds.optional().describe('the least age in seconds, instead of `days`'),
    by: z
      .enum(clocks)
      .optional()
      .describe(
        'published-time (default): when a registry first had the version, else the time of its author. time: the time ' +
          'of its author alone',
      ),
  }),
  z.strictObject({
    rule: kind('license', 'versions with other licences'),
    ...common,
    allow: z
      .array(
        z
          .string()
          .max(61)
          .regex(/^[A-Za-z0-9.+-]{1,60}\*?$/, 'must be a licence such as MIT, or BSD-*'),
      )
      .min(1)
      .max(200)
      .describe('the allowed licences'),
  }),
  z.strictObject({ rule: kind('abandoned', 'abandoned packages'), ...common }),
  z.strictObject({
    rule: kind('plugin', 'Composer plugins, which run code while Composer works'),
    ...common,
    allow: z.array(pattern).max(mostEntries).describe('patterns of allowed plugins'),
  }),
  z.strictObject({
    rule: kind('capability', 'releases that can newly do something, such as run code while Composer works'),
    ...common,
    tokens: tokens.refine((ids) => ids === undefined, 'must be left out: a release is held for all tokens'),
    kinds: z
      .array(z.enum(capabilityKinds))
      .min(1)
      .max(capabilityKinds.length)
      .optional()
      .describe(`what counts; default: ${decisiveKinds.join(', ')}`),
    days: days
      .optional()
      .describe('how long after its arrival here such a release is held. Default: until somebody approves it'),
    since: z
      .string()
      .max(24)
      .regex(dayOrMoment, 'must be a day such as 2026-12-31, or a time in UTC')
      .refine(isMoment, 'must be a day that exists')
      .optional()
      .describe('releases that this registry had before are accepted. Default: none is'),
  }),
  z.strictObject({
    rule: kind('required', 'versions of private packages that lack something'),
    name,
    action,
    ...scope,
    archives,
    message,
    fields: z
      .array(z.enum(requiredFields))
      .min(1)
      .max(3)
      .describe(
        'license: a licence. readme: a README. signed-tag: a git tag signed by a key of `signers`; only releases need it',
      ),
  }),
  z.strictObject({
    rule: kind('source', 'the source of private packages in the metadata: it is left out, so Composer cannot clone it'),
    name,
    action: z.literal('block').describe('the source is left out'),
    ...names,
  }),
  z.strictObject({
    rule: kind('composer', 'versions of Composer that may send requests'),
    name,
    action,
    tokens,
    message,
    versions: constraint.describe('the allowed versions of Composer. Other programs are not concerned'),
  }),
]);

export const exceptionSchema = z.strictObject({
  rule: ruleName.describe('the name of the rule'),
  packages: patternList.describe('patterns of the packages'),
  versions: constraint.optional().describe('a constraint for the versions; default: all'),
  owner: line(200).describe('who answers for the exception'),
  reason: line().describe('why the exception is needed'),
  until: z
    .string()
    .max(24)
    .regex(dayOrMoment, 'must be a day such as 2026-12-31, or a time in UTC')
    .refine(isMoment, 'must be a day that exists')
    .describe('the last day of the exception in UTC, or the moment of its end'),
});

/** False for a day such as 2026-02-30, which the runtime takes for the second of March. */
function isMoment(text: string): boolean {
  const moment = new Date(text);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === text.slice(0, 10);
}

export const policySchema = z.strictObject({
  $schema: z.string().max(2000).optional(),
  rules: z.array(ruleSchema).max(mostRules),
  exceptions: z.array(exceptionSchema).max(mostExceptions).optional(),
});
