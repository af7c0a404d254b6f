// The document of `libretto why --json`, and the lines about archives that other documents share.

import { z } from 'zod';
import { publishedFromSchema } from '../../proxy/artifacts/published-from.ts';
import { explained as explainedVersion } from './policy-documents.ts';
import * as part from './parts.ts';

const { count, flag, name, orNull, reference, source, text, time, version } = part;

export const leftOut = z.object({
  source,
  code: text('the reason, for a program, such as VERSION_CHANGED'),
  message: part.message,
  where: text('the file, tag or branch'),
  name: orNull(z.string(), 'the package; null if unknown'),
  version: orNull(z.string(), 'the version; null if unknown'),
});

const mirroredArchive = {
  version,
  reference: orNull(z.string(), "the upstream's reference; null if it gave none"),
  shasum: text('SHA-1 of the archive'),
  size: count('bytes'),
  from: text('the address of the download'),
  fetched_at: time('when it was fetched'),
};
export const archiveLine = z.object({ name, ...mirroredArchive });

const mirrored = z
  .object({
    belongs_to: z.enum(['private', 'upstreams', 'nobody']).describe('who owns the name'),
    because: orNull(z.string(), 'why the package is not mirrored; null: it is'),
    repositories: part.texts('the addresses of its upstreams, in their order'),
    found_in: orNull(z.string(), 'the upstream of the stored documents'),
    asked_at: orNull(z.iso.datetime(), 'the last request to this upstream'),
    lists: z
      .array(
        z.object({
          repository: text('the address of an upstream'),
          asked_at: orNull(z.iso.datetime(), 'the last request of its packages.json; null: none yet'),
          may_have: orNull(z.boolean(), 'false: its list of names lacks the package; null: no packages.json is stored'),
        }),
      )
      .describe('the lists of names of its upstreams'),
    versions: part.texts('the versions in stored documents'),
    not_standing_in_for: part.texts('names in its `replace` or `provide` that the mirror removes'),
    archives: z.array(z.object(mirroredArchive)).describe('the stored archives'),
    refused: part.texts('versions with the reason why their archive was refused when it was last fetched'),
    held_back: z
      .object({
        left_out: z
          .array(
            z.object({
              version,
              because: text('the reason'),
              reason: z
                .enum(['unloadable', 'dist-type', 'no-dist', 'label', 'document', 'rule'])
                .describe(
                  '`unloadable`: its record is invalid. `dist-type`: its archive is no ZIP. `no-dist`: it has no ' +
                    'archive. `label`: another version has its label. `document`: it is in the document of dev versions, beside ' +
                    'releases in the other. `rule`: see `setting`',
                ),
              setting: orNull(z.string(), 'the rule that leaves it out, or `purged`; null: no rule does'),
            }),
          )
          .describe('versions that are not offered'),
        changed: z.array(z.object({ version, message: part.message })).describe('releases that the upstream changed'),
      })
      .describe('versions of the stored documents that are not offered, or changed'),
    unreadable: part.texts('the messages of unreadable records'),
  })
  .nullable()
  .describe('for a package that is not published here: what the mirror knows; null otherwise');

export const why = z.object({
  name,
  version: orNull(z.string(), 'the version as typed; null: all'),
  published: flag('whether the version, or any version, is published'),
  versions: z
    .array(
      z.object({
        version,
        state: z.enum(['published', 'superseded', 'withdrawn', 'withheld']).describe('`withheld`: withdrawn by hand'),
        since: time('when it took this state'),
        source,
        reference,
        shasum: text('SHA-1 of the archive'),
        size: count('bytes of the archive'),
        time: orNull(z.string(), "the release's own time"),
        signed_by: orNull(z.string(), 'who signed its git tag with a known key; null: nobody'),
        archive: text('the archive below public/'),
        withdrawal: z
          .object({
            reason: z
              .enum(['rollback', 'person', 'upload', 'removed', 'source'])
              .describe('`removed`: its source left the registry. `source`: its source did not have it any more'),
            serial: count('the publication that withdrew it'),
            rollback_to: orNull(z.int(), 'the publication that a rollback restored; null otherwise'),
            source: orNull(z.string(), 'the source at that time; null: not recorded'),
          })
          .nullable()
          .describe('why a withdrawn version was withdrawn; null: not withdrawn, or not recorded any more'),
        published_by: publishedFromSchema.nullable().describe('the CI job; null: no trusted publisher published it'),
        uploaded_by: orNull(z.string(), 'who uploaded it; null: it was not uploaded'),
        approved_by: orNull(z.string(), 'who approved it when it was held or staged; null: nobody'),
      }),
    )
    .describe('the known contents, newest first'),
  left_out: z.array(leftOut).describe('versions that the last builds left out'),
  unclear: z.array(leftOut).describe('left out without a known name or version: it may be this one'),
  excluded_by: z
    .array(z.object({ source, option: text('its place in libretto.json'), value: text('its value') }))
    .describe('options that exclude it'),
  purged: z
    .array(z.object({ version, reference, reason: text('why'), since: time('when it was purged') }))
    .describe('purged contents'),
  suggestions: part.texts('similar names or versions'),
  mirrored,
  policy: explainedVersion
    .nullable()
    .describe('what the policy says of the version; null: no rule concerns it, or no version is given'),
  waiting: z
    .array(z.object({ version, because: part.message }))
    .describe('its staged uploads, which wait for a decision'),
});
