// The README and the CHANGELOG of a version over HTTP. They are no operations of their noun, because their answers have
// a header of their own: a browser that opens one runs no code of the text.

import { answering } from '../frame/json-content.ts';
import { z } from 'zod';
import type { TextKind } from '../../../build/contract/package-texts.ts';
import { viewOf } from '../../auth/caller.ts';
import { readPackageText, type PackageParts } from '../../packages/describe-package.ts';
import { nameOf, packageParams, versionText } from '../../packages/operations.ts';
import { packageText } from '../../packages/package-schema.ts';
import { operation, type Api } from '../frame/api.ts';

const textRoute = <const Id extends 'getReadme' | 'getChangelog'>(operationId: Id, kind: TextKind, what: string) =>
  operation({
    operationId,
    method: 'get',
    path: `/api/packages/{vendor}/{package}/${kind}`,
    tags: ['Packages'],
    summary: `Get the ${what} of a version`,
    description: `The file of that name in the source of the version. The answer is 404 if the version has none.`,
    request: {
      params: packageParams,
      query: z.strictObject({
        version: versionText.optional().meta({ description: 'the version; default: the latest', example: '1.2.0' }),
      }),
    },
    responses: { 200: answering(packageText, `the ${what} as original text and as safe HTML`) },
    errors: ['NOT_FOUND'],
  });

const getReadme = textRoute('getReadme', 'readme', 'README');
const getChangelog = textRoute('getChangelog', 'changelog', 'CHANGELOG');

const inert = { 'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox" };

export function registerPackageTexts(api: Api, services: PackageParts): void {
  for (const [route, kind] of [
    [getReadme, 'readme'],
    [getChangelog, 'changelog'],
  ] as const)
    api.openapi(route, async (context) => {
      const wanted = { kind, ...context.req.valid('query') };
      const name = nameOf(context.req.valid('param'));
      return context.json(await readPackageText(services, name, wanted, viewOf(context.env.caller)), 200, inert);
    });
}
