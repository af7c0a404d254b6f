// Requests the packages.json of another Composer repository before its registration, and reports if it is usable.

import { isJsonObject, type JsonValue } from '../../../build/contract/json.ts';
import type { UpstreamClient } from './upstream-client.ts';
import type { ConfiguredCredential } from './upstream-credential.ts';
import { parseUpstreamRoot, recordsByName, rootUrlOf, type Layout } from './upstream-root.ts';

export interface UpstreamProbe {
  /** the field of packages.json that leads to its packages: `packages` if they are in it or in included files */
  readonly protocol: Layout['kind'];
  /** undefined if it does not list them */
  readonly names: readonly string[] | undefined;
}

/** A sentence if the address has no Composer repository. Rejects with UpstreamUnavailable. */
export async function probeUpstream(
  url: string,
  credential: ConfiguredCredential | undefined,
  client: UpstreamClient,
): Promise<UpstreamProbe | string> {
  const rootUrl = rootUrlOf(url);
  const answer = await client.document(rootUrl, { origin: rootUrl.origin, credential });
  if (answer.outcome !== 'fetched') return `There is no packages.json at ${rootUrl.origin}${rootUrl.pathname}.`;
  try {
    const json: unknown = JSON.parse(answer.bytes.toString('utf8'));
    const { layout } = parseUpstreamRoot(json, rootUrl);
    return {
      protocol: layout.kind,
      names: isJsonObject(json)
        ? namesIn(
            json['available-packages'],
            json['packages'],
            layout.kind === 'packages' && layout.includes.length === 0,
          )
        : undefined,
    };
  } catch (error) {
    return (
      `packages.json at ${rootUrl.origin}${rootUrl.pathname} cannot be used: ` +
      `${error instanceof Error ? error.message : String(error)}.`
    );
  }
}

function namesIn(
  available: JsonValue | undefined,
  packages: JsonValue | undefined,
  areAll: boolean,
): readonly string[] | undefined {
  const listed = Array.isArray(available)
    ? (available as readonly JsonValue[]).filter((name) => typeof name === 'string')
    : [];
  if (listed.length === 0 && !areAll) return undefined;
  return [...new Set([...listed, ...recordsByName(packages).keys()])].toSorted();
}
