// The checks of mirrored registries: each is reachable through the guard with its credentials, and is a readable
// Composer repository. Only packages.json is requested.

import { isDenied } from '../../build/egress/egress-failure.ts';
import { UpstreamUnavailable } from '../../proxy/mirror/upstream/mirror-failure.ts';
import { probeUpstream } from '../../proxy/mirror/upstream/probe-upstream.ts';
import { UpstreamClient } from '../../proxy/mirror/upstream/upstream-client.ts';
import { publicRegistry } from '../../proxy/mirror/rules/upstream-problems.ts';
import { addressOf } from '../../proxy/mirror/upstream/upstream-root.ts';
import type { UpstreamSettings } from '../../proxy/mirror/upstream/upstream.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { localShadowedPackages, describeShadowed } from '../mirror/shadowed-packages.ts';
import { upstreamsHere } from '../mirror/current-mirror-rules.ts';
import { version } from '../io/version.ts';
import { failed, ok, warning, type Finding } from './finding.ts';

const limits = { documentMs: 15_000, idleTimeoutMs: 10_000 };

/**
 * Requests the upstreams, and names packages that are no longer offered. For a server with an origin it only requests
 * the upstreams.
 */
export async function check(config: Config, context: Context): Promise<readonly Finding[]> {
  const upstreams = await checkUpstreams(config, context);
  return config.origin.value === undefined ? [...upstreams, ...(await checkCutOff(config, context))] : upstreams;
}

/** Warns about mirrored packages that are no longer offered, because installs with them fail. */
async function checkCutOff(config: Config, context: Context): Promise<readonly Finding[]> {
  return (await localShadowedPackages(config, context)).map((one) =>
    warning(
      'upstream',
      describeShadowed(one),
      `Do nothing if all packages of ${one.vendor} are yours. ` +
        `If other packages of ${one.vendor} are public: ${one.advice}`,
    ),
  );
}

/** Returns no finding if no repository is mirrored. */
async function checkUpstreams(config: Config, context: Context): Promise<readonly Finding[]> {
  const client = new UpstreamClient({
    allowAddresses: config.egressAllow.value,
    userAgent: `Libretto/${version} (doctor)`,
    limits,
    now: () => context.now().getTime(),
  });
  try {
    const { upstreams } = await upstreamsHere(config, context);
    return await Promise.all(upstreams.map((upstream) => checkOne(upstream, client)));
  } finally {
    await client.close();
  }
}

async function checkOne({ id, url, credential }: UpstreamSettings, client: UpstreamClient): Promise<Finding> {
  const place = `${addressOf(url)}${id === publicRegistry ? ' (mirroring.url)' : id === addressOf(url) ? '' : ` (${id})`}`;
  try {
    const probe = await probeUpstream(url, credential, client);
    if (typeof probe === 'string')
      return failed(
        'upstream',
        `${place} is not a readable Composer repository: ${probe}`,
        'Check its address. Use the address from `repositories` in a composer.json.',
      );
    return ok('upstream', `${place} is reached; its packages are found by ${probe.protocol}`);
  } catch (error) {
    if (!(error instanceof UpstreamUnavailable)) throw error;
    return failed(
      'upstream',
      `${place} cannot be reached: ${error.message}`,
      credential?.kind === 'unusable'
        ? 'Stored packages are still served.'
        : isDenied(error)
          ? 'Its address is not public. If the address is right, list it in egress.allow of libretto.json.'
          : 'Stored packages are still served. Check its address and credentials, and whether this host can reach it.',
    );
  }
}
