// Requests the packages.json of another Composer repository before its registration, and reports if it is usable.

import { namesInRoot } from './listed-names.ts';
import type { UpstreamClient } from './upstream-client.ts';
import type { ConfiguredCredential } from './upstream-credential.ts';
import { parseUpstreamRoot, rootUrlOf, type Layout } from './upstream-root.ts';

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
      names: namesInRoot(json, layout.kind === 'packages' && layout.includes.length === 0),
    };
  } catch (error) {
    return (
      `packages.json at ${rootUrl.origin}${rootUrl.pathname} cannot be used: ` +
      `${error instanceof Error ? error.message : String(error)}.`
    );
  }
}
