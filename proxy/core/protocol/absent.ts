// The answers for a package or version that is not published: 404, or 500 before the first publication.

import type { PackageName } from '../../../build/contract/name.ts';
import { andThen, type MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import { errorAnswer, type Answer } from '../http/answer.ts';
import type { TreeFiles } from '../tree/tree-files.ts';

/** `forComposer`: the message helps the user of this client, which is Composer. */
export function absent(files: TreeFiles, message: string, name: PackageName, forComposer = false): MaybeAsync<Answer> {
  return andThen(files.isEmpty(), (empty) =>
    empty ? notReady() : errorAnswer('NOT_FOUND', { message, details: { package: name }, forComposer }),
  );
}

export function absentPackage(files: TreeFiles, name: PackageName): MaybeAsync<Answer> {
  return absent(files, `The package ${name} is not published here.`, name);
}

/** Composer tries a 500 again, and a first build takes seconds. */
export function notReady(): Answer {
  return errorAnswer('NOT_READY', { headers: ['Retry-After', '5'] });
}
