// The documents of the commands that build, show and check what is published.

import { z } from 'zod';
import * as part from './parts.ts';
import { leftOut, why } from './why-document.ts';
import { receivedBundle, writtenBundle } from './bundle-documents.ts';

const { count, flag, name, normalized, orNull, reference, source, text, time, version, versionLine } = part;

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

export const buildDocuments = {
  build: buildReport
    .extend({ site: siteReport.optional().describe('the catalogue, where `site` names a folder for it') })
    .describe('the report of a build'),
  site: siteReport,
  receive: buildReport.extend({
    bundle: receivedBundle.optional().describe('what came in a bundle; absent for a tree'),
  }),
  bundle: writtenBundle,
  adopt: z.object({
    url: text('the address of the registry'),
    name: text('its name here'),
    packages: count('packages there'),
    versions: count('versions there'),
    here: count('versions that are published here with the same content'),
    taken: z.array(z.object({ name, version })).describe('versions that were taken over; with --plan, that would be'),
    fetched: count('the archives that this run has fetched; with --plan, that an earlier run has'),
    fetched_bytes: count('the bytes of these archives'),
    differences: z
      .array(
        z.object({
          kind: z
            .enum(['only-there', 'differs', 'only-here'])
            .describe('only-there: it cannot be taken over; differs: it stays here as it is; only-here: it stays'),
          name,
          version: orNull(z.string(), 'the version; null: the whole package'),
          because: orNull(z.string(), 'the reason; null with only-here'),
        }),
      )
      .describe('what is not the same in both registries'),
    unmatched: part.texts('the names and patterns of --only that match nothing there'),
    sources: z
      .array(
        z.object({
          url: text('the address of the git repository'),
          packages: part.texts('its packages there'),
          id: orNull(z.string(), 'its id here; null if it is not registered'),
          because: orNull(z.string(), 'why this run did not register it; null if it did'),
        }),
      )
      .describe('with --register-sources: the git repositories that the registry names'),
    published: flag('false: nothing changed for clients'),
    serial: orNull(z.int(), 'the number of the publication; null without one'),
  }),
  'package restore': buildReport,
  'history list': z.object({ publications: z.array(publication).describe('newest first') }),
  'history diff': z.object({ from: count('the earlier publication'), to: count('the later publication'), ...changes }),
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
    unused_objects: z
      .object({ objects: count('objects'), bytes: count('their size') })
      .optional()
      .describe('objects of former publications; only with an object store'),
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
    output: z
      .object({
        generation: count('the number of the head at the store'),
        objects: count('objects'),
        faults: z
          .array(z.object({ key: text('the object below the prefix'), message: part.message }))
          .describe('missing and changed objects'),
      })
      .optional()
      .describe('the object store with the tree'),
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
