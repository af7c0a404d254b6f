// Packages as API and commands show them.

import { z } from 'zod';
import type { PackageName } from '../../build/contract/name.ts';
import { parseStability } from '../../build/contract/stability.ts';
import { time, timeSchema } from '../registry/fields.ts';
import type { Fixed } from '../registry/operation.ts';
import { requirementsOf, type PackageDetails } from './package-details.ts';
import type { PackageSummary } from './package-summary.ts';
import type { PublishedVersion } from './published-package.ts';

const version = z.string().meta({ description: 'the version, as written by its author', example: '1.2.0' });
const links = z.record(z.string(), z.string());

const summaryShape = {
  name: z.string().meta({ description: 'the name of the package', example: 'acme/hello' }),
  description: z
    .string()
    .nullable()
    .meta({ description: 'one line about the package; null if its composer.json has none' }),
  type: z.string().meta({ description: 'the type of the package', example: 'library' }),
  keywords: z.array(z.string()).meta({ description: 'the keywords of its composer.json', example: ['greeting'] }),
  abandoned: z.union([z.boolean(), z.string()]).meta({ description: 'true, or the package to use instead' }),
  latest_version: version.meta({
    description: 'the newest stable version, or the newest version if none is stable',
    example: '1.2.0',
  }),
  updated_at: time.meta({ description: 'the time of the last publication of a version' }),
  downloads: z.number().int().meta({ description: 'the total number of archives sent' }),
};

export const packageSummary = z
  .object({ ...summaryShape, versions: z.number().int().meta({ description: 'the number of published versions' }) })
  .meta({ id: 'PackageSummary' });
export type SummaryDocument = Fixed<z.output<typeof packageSummary>>;

const packageVersion = z
  .object({
    version,
    version_normalized: z
      .string()
      .meta({ description: 'the normalized version, as Composer compares it', example: '1.2.0.0' }),
    stability: z
      .enum(['stable', 'RC', 'beta', 'alpha', 'dev'])
      .meta({ description: 'the stability that Composer derives from the version' }),
    time: z
      .string()
      .nullable()
      .meta({ description: 'the time given by the source', example: '2026-01-31T12:00:00+00:00' }),
    published_at: time.meta({ description: 'the time when this content was first published here' }),
    reference: z.string().meta({ description: '`dist.reference`: the commit, or a digest of the content' }),
    shasum: z.string().meta({ description: 'SHA-1 of the archive' }),
    size: z.number().int().meta({ description: 'bytes of the archive' }),
    requires: links.meta({
      description: 'package → constraint, from `require`',
      example: { php: '^8.2', 'acme/greeting': '^1.0' },
    }),
    dev_requires: links.meta({ description: 'package → constraint, from `require-dev`' }),
    signed_by: z.string().nullable().meta({
      description: 'who signed the git tag with a key that this registry knows; null: nobody',
      example: 'ann@example.org',
    }),
    readme: z.boolean().meta({ description: 'whether the version has a README' }),
    changelog: z.boolean().meta({ description: 'whether the version has a CHANGELOG' }),
    blocked_by: z
      .string()
      .nullable()
      .meta({ description: 'the rule of the policy that keeps it from clients; null: none', example: null }),
  })
  .meta({ id: 'PublishedVersion' });

const quarantined = z
  .object({
    version: z.string().nullable().meta({ description: 'the version that was left out; null if unknown' }),
    code: z.string().meta({ description: 'the reason, for a program', example: 'VERSION_CHANGED' }),
    message: z.string().meta({ description: 'what is wrong and what to do' }),
    where: z.string().meta({ description: 'the source, and the place in the source' }),
  })
  .meta({ id: 'QuarantinedVersion' });

export const packageSchema = z
  .object({
    ...summaryShape,
    license: z.array(z.string()).meta({ description: 'the licences of its newest version', example: ['MIT'] }),
    links: links.meta({
      description: 'homepage and support addresses',
      example: { homepage: 'https://example.org/hello' },
    }),
    versions: z.array(packageVersion).meta({ description: 'newest first' }),
    dependents: z.array(z.string()).meta({ description: 'packages of this registry with a version that requires it' }),
    sources: z
      .array(
        z.object({
          id: z.string().meta({ description: 'the id of the source' }),
          location: z.string().meta({ description: 'the folder or the address of the source' }),
        }),
      )
      .nullable()
      .meta({ description: 'the sources of its versions; null for read tokens' }),
    quarantined: z
      .array(quarantined)
      .nullable()
      .meta({ description: 'versions that were left out, with the reason; null for read tokens' }),
  })
  .meta({ id: 'PackageDetails' });

export const packageText = z
  .object({
    version,
    markdown: z.string().meta({ description: 'the original text, at most 512 KiB' }),
    html: z.string().meta({
      description:
        'sanitized HTML: no scripts and styles, nothing that a browser loads, and links only to web pages, mail ' +
        'addresses and headings (their ids begin with `text-`). Images become links, with the class `image`. A text ' +
        'that takes too long to render becomes one `<pre>`',
    }),
    html_truncated: z.boolean().meta({ description: 'true: the HTML covers only the beginning of the text' }),
    truncated: z.boolean().meta({ description: 'true: the stored text is cut; the original is longer' }),
  })
  .meta({ id: 'PackageText' });

const byVersion = z.record(z.string(), z.number().int());
const date = z.string().meta({ description: 'the day, in UTC', example: '2026-11-21' });
const counted = (what: string) =>
  z
    .number()
    .int()
    .meta({ description: `${what} on this day` });
const perVersion = (what: string) => byVersion.meta({ description: `version → ${what} on this day` });

export const statisticsSchema = z
  .object({
    total: z.number().int().meta({ description: 'the total number of downloads' }),
    versions: byVersion.meta({ description: 'downloads in these days, by version', example: { '1.2.0': 12 } }),
    days: z
      .array(z.object({ date, downloads: counted('downloads'), versions: perVersion('downloads') }))
      .meta({ description: 'days in UTC, oldest first; days without a download are omitted' }),
    installs: z
      .object({
        total: z.number().int().meta({ description: 'the total number of installs' }),
        versions: byVersion.meta({ description: 'installs in these days, by version', example: { '1.2.0': 31 } }),
        days: z
          .array(z.object({ date, installs: counted('installs'), versions: perVersion('installs') }))
          .meta({ description: 'days in UTC, oldest first; days without an install are omitted' }),
      })
      .meta({
        description:
          'installs reported by clients: Composer reports every install and update of a package, unless it is offline',
      }),
  })
  .meta({ id: 'PackageStatistics' });
export type StatisticsDocument = Fixed<z.output<typeof statisticsSchema>>;

export const withdrawalSchema = z
  .object({
    name: z.string().meta({ description: 'the name of the package', example: 'acme/hello' }),
    version,
    version_normalized: z
      .string()
      .meta({ description: 'the normalized version, as Composer compares it', example: '1.2.0.0' }),
    reference: z.string().meta({ description: '`dist.reference` of the withdrawn content' }),
    withdrawn_at: timeSchema('it was withdrawn'),
    withdrawn_by: z.string().meta({ description: 'who withdrew it', example: 'usr_4fHj2kLm9QwErTy0' }),
  })
  .meta({ id: 'WithdrawnVersion' });
export type Withdrawal = Fixed<z.output<typeof withdrawalSchema>>;

export function showSummary(
  { name, description, type, keywords, abandoned, latest_version, versions, updated_at }: PackageSummary,
  downloads: number,
): SummaryDocument {
  return { name, description, type, keywords, abandoned, latest_version, versions, updated_at, downloads };
}

/** What keeps a version from clients; undefined: nothing. */
type FindBlock = (published: PublishedVersion) => { readonly rule: string } | undefined;

export interface PackageBodyParts {
  readonly summary: PackageSummary;
  readonly details: PackageDetails;
  readonly downloads: number;
  readonly dependents: readonly PackageName[];
  readonly blockOf: FindBlock;
  /** true: the caller may see sources and omitted versions */
  readonly origins: boolean;
}

export function showPackage({
  summary,
  details,
  downloads,
  dependents,
  blockOf,
  origins,
}: PackageBodyParts): Fixed<z.output<typeof packageSchema>> {
  return {
    ...showSummary(summary, downloads),
    license: details.license,
    links: details.links,
    versions: details.versions.map((published) => showVersion(published, blockOf)),
    dependents,
    sources: origins ? details.sources.map(({ id, location }) => ({ id, location })) : null,
    quarantined: origins
      ? details.quarantined.map(({ version: left, code, message, where }) => ({ version: left, code, message, where }))
      : null,
  };
}

function showVersion(published: PublishedVersion, blockOf: FindBlock): Fixed<z.output<typeof packageVersion>> {
  const {
    version: label,
    version_normalized,
    time: own,
    since,
    reference,
    shasum,
    size,
    signed_by: signer,
    readme,
    changelog,
  } = published.entry;
  const { requires, dev_requires } = requirementsOf(published);
  return {
    version: label,
    version_normalized,
    stability: parseStability(version_normalized),
    time: own,
    published_at: since,
    reference,
    shasum,
    size,
    requires,
    dev_requires,
    signed_by: signer ?? null,
    readme: readme !== undefined,
    changelog: changelog !== undefined,
    blocked_by: blockOf(published)?.rule ?? null,
  };
}
