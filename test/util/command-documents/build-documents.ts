// The documents of the commands that build, show and check what is published.

import { z } from 'zod';
import { publishedFrom } from '../../../proxy/manage/schemas/artifact.ts';
import { explained as explainedVersion } from './policy-documents.ts';
import * as part from './parts.ts';

const { count, flag, name, normalized, orNull, reference, source, text, time, version, versionLine } = part;

const leftOut = z.object({
  source,
  code: text('the reason, for a program, such as VERSION_CHANGED'),
  message: part.message,
  where: text('the file, tag or branch'),
  name: orNull(z.string(), 'the package; null if unknown'),
  version: orNull(z.string(), 'the version; null if unknown'),
});

export const buildReport = z
  .object({
    serial: count('the number of the current publication; 0 before the first one'),
    published: flag('false: nothing changed for clients'),
    added: z.array(versionLine).describe('new versions'),
    changed: z.array(versionLine).describe('versions with new content'),
    withdrawn: z.array(versionLine).describe('versions that are no longer offered'),
    unchanged: count('unchanged versions of the packages with changes'),
    quarantined: z.array(leftOut).describe('versions that were left out'),
    blocked: z
      .array(versionLine.extend({ reason: text('why it was purged'), purged_at: time('when it was purged') }))
      .describe('purged versions that their source still has'),
    failed: z.array(z.object({ source, reason: text('why it could not be read') })).describe('sources that failed'),
    notices: z.array(z.object({ source, message: text('the remark') })).describe('remarks for people'),
    retained: z.array(versionLine.extend({ reference })).describe('archives that stay until `libretto prune`'),
    timings_ms: z
      .object({
        scan: z.number().describe('reading the sources'),
        archive: z.number().describe('comparing and packing'),
        publish: z.number().describe('publishing'),
        total: z.number().describe('all together'),
      })
      .describe('milliseconds'),
  })
  .describe('the report of a build');

const siteReport = z
  .object({
    directory: text('the folder of the catalogue'),
    serial: count('the number of the publication that it shows'),
    packages: count('packages in it'),
    written: count('files that were written because their content changed'),
    removed: count('files that were removed'),
  })
  .describe('the catalogue that was written');

const change = z.object({ name, version, reference: orNull(z.string(), '`dist.reference` of the content'), source });
const changes = {
  added: z.array(change).describe('new versions'),
  changed: z
    .array(change.extend({ was: orNull(z.string(), 'the reference before') }))
    .describe('versions with new content'),
  withdrawn: z.array(change).describe('versions that are no longer offered'),
  metadata: part.texts('packages with new metadata of the same versions'),
};

const recorded = z.object({ version, reference, source });
const publication = z.object({
  serial: count('the number of the publication'),
  previous: count('the number of the publication before; 0 for none'),
  published_at: time('when it was published'),
  by: orNull(
    z.object({ actor: text('who, as in the audit log'), command: text('the command') }),
    'who published it; null if unknown',
  ),
  rollback_to: orNull(z.int(), 'the publication that a rollback restored; null otherwise'),
  counts: z
    .object({
      added: count('new versions'),
      changed: count('versions with new content'),
      withdrawn: count('withdrawn versions'),
      packages: count('packages'),
    })
    .describe('the numbers of changes'),
  packages: z
    .array(
      z.object({
        name,
        added: z.array(recorded).describe('new versions'),
        changed: z
          .array(recorded.extend({ was: z.object({ version, reference }).describe('the version before') }))
          .describe('versions with new content'),
        withdrawn: z.array(recorded).describe('withdrawn versions'),
      }),
    )
    .describe('the changed packages'),
});

const fault = z.object({
  code: text('the kind of the fault, such as WRONG_BYTES'),
  path: text('the file below the data folder'),
  name: orNull(z.string(), 'the package, if one is affected'),
  version: orNull(z.string(), 'the version, if one is affected'),
  message: part.message,
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

const why = z.object({
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
        published_by: publishedFrom.nullable().describe('the CI job; null: no trusted publisher published it'),
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
});

export const buildDocuments = {
  build: buildReport
    .extend({ site: siteReport.optional().describe('the catalogue, where `site` names a folder for it') })
    .describe('the report of a build'),
  site: siteReport,
  receive: buildReport,
  'package restore': buildReport,
  history: z.object({ publications: z.array(publication).describe('newest first') }),
  diff: z.object({ from: count('the earlier publication'), to: count('the later publication'), ...changes }),
  rollback: z.object({
    serial: count('the number of the current publication'),
    published: flag('false: nothing changed for clients'),
    rollback_to: orNull(z.int(), 'the restored publication; null with --lift'),
    ...changes,
    undone: z
      .array(
        z.object({
          name,
          version,
          version_normalized: normalized,
          reference: orNull(z.string(), 'the published content; null: the version was withdrawn'),
          gone: z.literal(true).optional().describe('the source no longer has the version'),
        }),
      )
      .describe('changes that later builds do not repeat'),
    stays_out: z
      .array(
        z.object({
          name,
          version,
          why: z.enum(['withheld', 'purged']).describe('withheld: a person withdrew it, and may restore it'),
        }),
      )
      .describe('versions of that publication that are not offered again'),
  }),
  prune: z.object({
    dry_run: flag('whether --dry-run was given'),
    serial: count('the number of the current publication'),
    removed: z
      .array(
        z.object({
          name,
          version,
          reference,
          state: z.enum(['published', 'superseded', 'withdrawn']).describe('the state of the content'),
          since: time('when it took this state'),
          size: count('bytes of the archive'),
          path: text('the archive below public/'),
        }),
      )
      .describe('removed contents'),
    files: count('the number of removed files'),
    freed_bytes: count('their size'),
    kept: z
      .object({ recent: count('for the time of --keep-for'), recorded: count('named by a recorded publication') })
      .describe('unpublished contents that stay'),
  }),
  verify: z.object({
    ok: flag('whether there is no fault'),
    checked: z
      .object({ packages: count('packages'), versions: count('versions'), archives: count('archives') })
      .describe('the numbers of checked things'),
    faults: z.array(fault).describe('missing and damaged files'),
    same_files: z
      .array(z.object({ path: text('the archive'), name, version, reference, message: part.message }))
      .describe('versions with the files of a purged version; no fault'),
    notices: z.array(z.object({ path: text('the file'), message: part.message })).describe('remarks; no fault'),
  }),
  impact: z.object({
    ok: flag('whether every package is as locked'),
    locks: z
      .array(
        z.object({
          lock: text('the lock file'),
          checked: count('packages of this registry'),
          elsewhere: count('packages of other registries'),
        }),
      )
      .describe('the lock files'),
    impacts: z
      .array(
        z.object({
          lock: text('the lock file'),
          name,
          version,
          reference: orNull(z.string(), 'the locked reference'),
          kind: z.enum(['missing', 'withdrawn', 'changed']).describe('the difference'),
          installable: flag('whether an install from the lock still gets the locked bytes'),
          message: part.message,
        }),
      )
      .describe('packages that are not as locked'),
  }),
  why,
};
