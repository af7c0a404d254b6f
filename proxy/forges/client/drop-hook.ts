// Removes one webhook at a forge, when its connection ends: without it, each push would be sent with a secret that this
// registry has forgotten.

import type { Dialect } from '../dialects/dialect.ts';
import { forgeTitles } from '../model/forge-name.ts';
import { findHook } from './find-hook.ts';
import type { DroppedHook } from './forge.ts';
import type { AskForge } from './forge-http.ts';

/** `path`: of the hooks; undefined: such owners have none. `url`: of the hook. Throws ForgePause and ForgeRefusal. */
export async function dropHook(
  dialect: Dialect,
  ask: AskForge,
  path: string | undefined,
  url: string,
): Promise<DroppedHook> {
  if (path === undefined) return { outcome: 'none' };
  const known = await findHook(dialect, ask, path, url);
  if (known === 'none') return { outcome: 'none' };
  const status =
    typeof known === 'number' ? known : (await ask(`${path}/${known.id}`, { content: { method: 'DELETE' } })).status;
  if (typeof known !== 'number' && (status === 204 || status === 200 || status === 404)) return { outcome: 'removed' };
  const title = forgeTitles[dialect.name];
  return { outcome: 'refused', message: `${title} refused to remove the webhook at ${path} (status ${status}).` };
}
