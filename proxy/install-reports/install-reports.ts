// `notify-batch`: Composer reports its installs (InstallationManager.php, notifyInstalls). Only versions that are or
// were published and that the token sees count. Invented names therefore take no memory. Composer waits 6 seconds at
// most and ignores the answer.

import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonValue } from '../../build/contract/json.ts';
import { parsePackageName, type PackageName } from '../../build/contract/name.ts';
import { jsonAnswer, refusalAnswer, type Answer } from '../core/http/answer.ts';
import { readJsonBody } from '../core/http/request-body.ts';
import type { CountUse } from '../core/protocol/archive-answers.ts';
import type { Feature, FeatureRequest } from '../core/protocol/feature.ts';
import type { Moment } from '../core/protocol/mirrored-packages.ts';
import type { MirroredTree } from '../mirror/mirrored-tree.ts';
import type { CallerView } from '../core/protocol/request-preferences.ts';
import { filterOf } from '../core/views/view.ts';
import type { TreeFiles } from '../core/tree/tree-files.ts';

export interface InstallReportParts {
  readonly files: Pick<TreeFiles, 'epoch' | 'archives' | 'visible'>;
  /** installs of mirrored packages count if this server has fetched the archive */
  readonly mirrored?: Pick<MirroredTree, 'installed'> | undefined;
  readonly onInstall: CountUse;
}

interface Asked extends Moment {
  readonly client: string | undefined;
}

interface Install {
  readonly name: PackageName;
  /** normalized, as Composer sends it */
  readonly version: string;
}

/** Room for the most installs there may be in one report, all with long names. */
const mostBytes = 512 * 1024;
const mostInstalls = 2000;
const longestMs = 6000;
const longestVersion = 200;
const packagesAtOnce = 32;

/** The feature that takes Composer's reports of installs. */
export function createInstallReports({ files, mirrored, onInstall }: InstallReportParts): Feature {
  const count = async ({ name, version }: Install, { view, id }: CallerView, moment: Asked): Promise<number> => {
    const filter = filterOf(view, name);
    // a damaged index does not prevent the count of other installs, and reveals no hidden package (I14)
    const shows = await files.visible.shows(view, name, 'archives', moment.epoch);
    const index = shows ? Promise.resolve(files.archives(name, moment.epoch)) : undefined;
    const archives = await index?.catch(() => undefined);
    const known =
      archives?.find([version], undefined, filter)?.version ??
      (await mirrored?.installed(name, version, { view, filter }, moment).catch(() => undefined));
    if (known === undefined) return 0;
    onInstall(name, known, id, moment.client);
    return 1;
  };
  const answer = async ({ incoming, token, nowMs, sendContinue }: FeatureRequest): Promise<Answer> => {
    sendContinue();
    try {
      const installs = parseReport(await readJsonBody(incoming, { mostBytes, longestMs }));
      const moment = { nowMs, epoch: await files.epoch(nowMs), client: incoming.headers['user-agent'] };
      let counted = 0;
      for (let from = 0; from < installs.length; from += packagesAtOnce) {
        const known = await Promise.all(
          installs.slice(from, from + packagesAtOnce).map((install) => count(install, token ?? {}, moment)),
        );
        counted += known.reduce((sum, one) => sum + one, 0);
      }
      return jsonAnswer(200, { status: 'success', counted });
    } catch (error) {
      return refusalAnswer(error);
    }
  };
  const route = { kind: 'downloads', methods: 'POST', open: false, answer };
  return { kinds: ['downloads'], routeOf: (path) => (path === '/downloads' ? route : undefined) };
}

/** Returns each version once. Ignores additional fields of later versions of Composer. Throws RegistryError. */
function parseReport(text: string | undefined): readonly Install[] {
  const json: JsonValue | undefined = text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  const rows = isJsonObject(json) ? json['downloads'] : undefined;
  if (!Array.isArray(rows)) throw invalid('downloads', 'must be a list');
  if (rows.length > mostInstalls) throw invalid('downloads', `must have at most ${mostInstalls} entries`);
  const installs = new Map<string, Install>();
  for (const [at, row] of (rows as readonly JsonValue[]).entries()) {
    const { name, version } = isJsonObject(row) ? row : {};
    if (typeof name !== 'string' || typeof version !== 'string')
      throw invalid(`downloads.${at}`, 'must be an object with the texts name and version');
    const known = parsePackageName(name.toLowerCase());
    if (known !== undefined && version.length <= longestVersion)
      installs.set(`${known} ${version}`, { name: known, version });
  }
  return [...installs.values()];
}

function invalid(path: string, message: string): RegistryError {
  return new RegistryError('INVALID_INPUT', {
    message: `${path} ${message}.`,
    details: { issues: [{ path, message }] },
  });
}
