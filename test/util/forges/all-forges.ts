// Each forge with its fake, for tests that hold for all of them.

import type { ForgeName } from '../../../proxy/forges/model/forge-name.ts';
import { startBitbucket } from './fake-bitbucket.ts';
import type { FakeForge } from './fake-forge.ts';
import { startGitea } from './fake-gitea.ts';
import { startGitHub } from './fake-github.ts';
import { startGitLab } from './fake-gitlab.ts';

export const allForges: readonly (readonly [name: ForgeName, start: () => Promise<FakeForge>])[] = [
  ['github', startGitHub],
  ['gitlab', () => startGitLab()],
  ['gitea', startGitea],
  ['bitbucket', startBitbucket],
];

/** Describes repositories `tool-1` to `tool-<count>`, each with a package of the same name. */
export function addTools(forge: FakeForge, count: number): void {
  for (let number = 1; number <= count; number += 1)
    forge.repositories.push({
      id: String(number),
      name: `tool-${number}`,
      composer: { name: `acme/tool-${number}` },
    });
}
