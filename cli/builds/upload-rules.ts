// What the builder asks of the state about an upload, when it has read the ZIP: packages that only CI jobs of trusted
// publishers may upload (setting publishing.keyless_only), and archives that people rejected.

import type { IsRejected } from '../../build/artifacts/find-existing.ts';
import { refused, type RefusedArtifact } from '../../build/artifacts/outcome.ts';
import type { PackageName } from '../../build/contract/name.ts';
import { matchAnyName } from '../../build/shared/patterns/package-pattern.ts';
import { readRejections } from '../../proxy/policy/records/review-decisions.ts';
import { fitsSetting } from '../../proxy/settings/definitions.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';

export interface UploadRules {
  /** why no other upload of the package is taken */
  readonly objection: (name: PackageName) => RefusedArtifact | undefined;
  readonly isRejected: IsRejected;
}

export async function readUploadRules(state: Pick<StateStore, 'range'>): Promise<UploadRules> {
  return { objection: await keylessObjection(state), isRejected: await readRejections(state) };
}

async function keylessObjection(state: Pick<StateStore, 'range'>): Promise<UploadRules['objection']> {
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
