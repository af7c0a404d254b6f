// The tree that came in a bundle: it may lack archives that this registry has, and continues what was received before.

import { isJsonObject, type JsonValue } from '../../contract/json.ts';
import type { PackageName } from '../../contract/name.ts';
import { indexPath } from '../../contract/paths.ts';
import { BuildRefused } from '../../contract/refusals.ts';
import { parsePackageIndex, type IndexEntry } from '../../contract/serving-index.ts';
import type { Output } from '../../output/output.ts';
import { parseOwnFile } from '../../output/parse-own-file.ts';
import type { ReceivedBundle } from '../spec.ts';
import type { ReceivedTree, ReceivedVersion } from './received-tree.ts';

/** `before`: what was received under this name. An older bundle would withdraw what is newer. Throws BuildRefused. */
export function refuseOtherBundle({ registry, serial, whole }: ReceivedBundle, before: JsonValue | undefined): void {
  if (!isJsonObject(before)) return;
  if (before['registry'] !== registry)
    throw new BuildRefused(
      `The bundle is of the registry ${registry}, and what was received under this name is of ` +
        `${String(before['registry'])}. Name this one differently with --as. Nothing was changed.`,
    );
  if (whole && Number(before['serial']) > serial)
    throw new BuildRefused(
      `The bundle has publication ${serial} of ${registry}, and publication ${Number(before['serial'])} was received ` +
        'before. Receive a newer bundle. Nothing was changed.',
    );
}

/**
 * The versions of a package in the tree. Those that this registry has may be without their archives. Of a bundle with
 * some versions they are left out: it says nothing new about what another source has published here.
 */
export async function versionsIn(
  tree: ReceivedTree,
  name: PackageName,
  bundle: ReceivedBundle | undefined,
  output: Pick<Output, 'read'>,
): Promise<readonly ReceivedVersion[]> {
  if (bundle === undefined) return tree.versionsOf(name);
  const path = indexPath(name);
  const text = await output.read('index', path);
  const index = text === undefined ? undefined : parseOwnFile(`index/${path}`, () => parsePackageIndex(text));
  const isHere = ({ version, reference, shasum }: IndexEntry): boolean =>
    index?.versions.some((one) => one.version === version && one.reference === reference && one.shasum === shasum) ===
    true;
  const versions = await tree.versionsOf(name, isHere);
  return bundle.whole ? versions : versions.filter(({ entry }) => !isHere(entry));
}
