// What people do with held releases: the operations that API, commands and console call.

import { z } from 'zod';
import { normalizeVersion } from '../../../build/contract/version.ts';
import { packageParams, nameOf } from '../../packages/operations.ts';
import { operation } from '../../registry/operation.ts';
import { pageOf, pageQuery, paginate } from '../../registry/page.ts';
import { decidedRelease, heldRelease, showHeld } from './held-schema.ts';
import { explainPolicy, type PolicyAdminServices } from './operations.ts';

const tag = 'Policy';

export const listHeldReleases = operation({
  id: 'listHeldReleases',
  method: 'get',
  path: '/api/policy/held',
  tag,
  summary: 'List the releases that are held',
  description:
    'Own and stored mirrored releases that a rule `capability` holds now, with what each can newly do. And staged ' +
    'releases, which no client sees (setting `publishing.staged`).',
  query: pageQuery,
  answer: pageOf(heldRelease),
  answers: 'a page of held releases',
  run: async ({ policyAdmin }: PolicyAdminServices, query, { caller }) => {
    const { releases } = await policyAdmin.held(caller);
    const sorted = releases.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const { data, next_cursor } = paginate(sorted, query, keyOf);
    return { data: data.map(showHeld), next_cursor };
  },
});

/** As text in the order of versions: numbers have one length, and a pre-release comes before its release. */
function keyOf({ name, version }: { readonly name: string; readonly version: string }): string {
  const normalized = (normalizeVersion(version) ?? version).toLowerCase();
  return `${name} ${normalized.replaceAll(/\d+/g, (digits) => digits.padStart(12, '0'))}~`;
}

export const decideHeldRelease = operation({
  id: 'decideHeldRelease',
  form: '/policy/held/:vendor/:package/:version',
  // also of another registry, or staged
  there: explainPolicy.path,
  method: 'post',
  path: '/api/packages/{vendor}/{package}/versions/{version}/decision',
  tag,
  summary: 'Approve or reject a held release',
  description:
    'An approved release is offered at once, and so is what later releases keep of it. A rejected one stays held ' +
    'without an end; a rejected staged one is removed, and its version is free again. A decision is about one archive: ' +
    'a moved tag is undecided again. With the setting `publishing.four_eyes` one more person may have to approve: ' +
    'then `decided` is false. Write slashes in a version as %2F.',
  params: packageParams.extend({
    version: z.string().min(1).max(200).meta({ description: 'the version', example: '1.2.0' }),
  }),
  body: z.strictObject({
    decision: z.enum(['approved', 'rejected']).meta({ description: 'what was decided' }),
    reason: z.string().trim().min(1).max(500).meta({ description: 'why, for the audit log and for people who ask' }),
    reference: z.string().max(200).optional().meta({
      description:
        'of the archive that was looked at; after a change or another decision meanwhile, this one is refused',
    }),
  }),
  answer: decidedRelease,
  answers: 'the release as it was held, and whether it is decided',
  awaitsBuilder: true,
  errors: ['NOT_FOUND', 'CONFLICT', 'VERSION_EXISTS', 'BUILD_BUSY'],
  run: async ({ policyAdmin }: PolicyAdminServices, { vendor, package: own, ...asked }, { caller }) => {
    const held = await policyAdmin.decide({ name: nameOf({ vendor, package: own }), ...asked }, caller);
    return { ...showHeld(held), decided: held.approvedBy === null };
  },
});

export const heldOperations = [listHeldReleases, decideHeldRelease];
