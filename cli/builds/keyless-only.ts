// The packages that only CI jobs of trusted publishers may upload (setting publishing.keyless_only), as an objection to
// other uploads. The builder asks it when it has read the name in the ZIP.

import { refused, type RefusedArtifact } from '../../build/artifacts/outcome.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { matchAnyName } from '../../build/shared/patterns/package-pattern.ts';
import { fitsSetting } from '../../proxy/settings/definitions.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';

export type UploadObjection = (name: PackageName) => RefusedArtifact | undefined;

export async function keylessObjection(state: Pick<StateStore, 'range'>): Promise<UploadObjection> {
  const stored = (await readStoredSettings(state)).get('publishing.keyless_only')?.value;
  const patterns = stored !== undefined && fitsSetting('publishing.keyless_only', stored) ? (stored as string[]) : [];
  const isKeyless = matchAnyName(patterns);
  return (name) =>
    isKeyless(name)
      ? refused(
          'INSUFFICIENT_SCOPE',
          `Only CI jobs of trusted publishers may upload ${name} (setting publishing.keyless_only). Publish it from ` +
            'its CI job with `libretto publish --oidc`, or ask an admin to change the setting.',
          { name },
        )
      : undefined;
}
