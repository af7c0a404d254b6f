// The composition root of the mirror: its settings, and the checks of records and archives before they are offered.

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { admitZip } from '../../build/archive/zip-admission/admit-zip.ts';
import { foreignZipLimits } from '../../build/archive/zip-admission/zip-limits.ts';
import type { JsonObject } from '../../build/contract/json.ts';
import { checkComposerJson } from '../../build/record/check-composer-json.ts';
import { QuarantineError } from '../../build/contract/quarantine.ts';
import { archiveBase } from '../../build/contract/registry-address.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { PurgedLookup } from '../../build/contract/purged.ts';
import { createTombstones } from '../../proxy/core/protocol/tombstones.ts';
import { createLocalPublishedFiles } from '../../proxy/core/tree/published-files.ts';
import type { Freshness } from '../../proxy/mirror/upstream/document-store.ts';
import type { ReportMirrorEvent } from '../../proxy/mirror/upstream/mirror-event.ts';
import type { MirrorRules } from '../../proxy/mirror/rules/mirror-rules.ts';
import { Mirror } from '../../proxy/mirror/mirror.ts';
import type { ReadPrivateNames } from '../../proxy/core/tree/private-names.ts';
import type { UpstreamSettings } from '../../proxy/mirror/upstream/upstream.ts';
import { noRules, type ReleaseRules } from '../../proxy/mirror/rules/release-rules.ts';
import { publicRegistry } from '../../proxy/mirror/rules/upstream-problems.ts';
import type { CurrentPolicy } from '../../proxy/policy/apply/current-policy.ts';
import type { PolicyReader } from '../../proxy/policy/apply/policy-reader.ts';
import type { SettingValues } from '../../proxy/settings/definitions.ts';
import type { Settings } from '../../proxy/settings/settings.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../io/environment.ts';
import { version } from '../io/version.ts';
import { registryCredential } from './environment-credential.ts';

export interface MirrorParts {
  readonly settings: Pick<Settings, 'current'>;
  readonly privateNames: ReadPrivateNames;
  /** its COMPOSER_AUTH is used for the public registry, if it names that host */
  readonly environment: Environment;
  /**
   * Composer repositories that libretto.json or the API name; they come before the public registry. Returns the same
   * list while the repositories are unchanged.
   */
  readonly others: () => MaybeAsync<readonly UpstreamSettings[]>;
  /** epoch milliseconds: documents requested before this time count as stale. Undefined: as the settings define */
  readonly askedSinceMs?: number;
  /** The policy, the same object while it is the same. */
  readonly policy: PolicyReader;
  /** Tombstones of purged versions, the same object while they are the same. Left out: those of the data folder. */
  readonly purged?: () => MaybeAsync<PurgedLookup>;
  /** epoch milliseconds */
  readonly now: () => number;
  readonly report: ReportMirrorEvent;
}

const cacheBytes = 64 * 1024 ** 2;

export function mirrorFolder({ data }: Pick<Config, 'data'>): string {
  return join(data.value, 'mirror');
}

export function composeMirror(
  config: Config,
  { privateNames, askedSinceMs, now, report, purged = localTombstones(config, now), ...given }: MirrorParts,
): Mirror {
  return new Mirror({
    folder: mirrorFolder(config),
    privateNames,
    rules: rulesOf(
      { ...given, purged, now },
      askedSinceMs === undefined
        ? (rules) => rules
        : (rules) => ({ ...rules, freshness: askedSince(askedSinceMs, now) }),
    ),
    client: { allowAddresses: config.egressAllow.value, userAgent: `Libretto/${version}` },
    checkRecord: checkUpstreamRecord,
    checkArchive: async (path) => void (await admitZip(path, foreignZipLimits)),
    cacheBytes,
    now,
    report,
  });
}

function localTombstones({ data }: Pick<Config, 'data'>, now: () => number): () => MaybeAsync<PurgedLookup> {
  const tombstones = createTombstones(createLocalPublishedFiles(data.value));
  return () => tombstones.read(now());
}

/** The same object until something that is set about the mirror has changed. */
function rulesOf(
  {
    settings,
    others,
    environment,
    purged,
    policy,
    now,
  }: Pick<Required<MirrorParts>, 'settings' | 'others' | 'environment' | 'purged' | 'policy' | 'now'>,
  adjusted: (rules: MirrorRules) => MirrorRules,
): () => MaybeAsync<MirrorRules> {
  let last:
    | {
        readonly values: SettingValues;
        readonly others: readonly UpstreamSettings[];
        readonly tombstones: PurgedLookup;
        readonly current: CurrentPolicy;
        readonly said: MirrorRules;
        readonly rules: MirrorRules;
      }
    | undefined;
  return () =>
    andThen(settings.current(), (values) =>
      andThen(others(), (known) =>
        andThen(purged(), (tombstones) =>
          andThen(policy.current(now()), (current) => {
            const isSame = last?.tombstones === tombstones && last.current === current;
            if (isSame && last?.values === values && last.others === known) return last.rules;
            const said = mirrorRules(values, known, environment);
            // Every change of the state makes a new values object. Equal settings still return the former rules, so
            // that their documents stay valid.
            const rules =
              isSame && last !== undefined && isDeepStrictEqual(last.said, said)
                ? last.rules
                : adjusted({ ...said, releases: { policy: current, purged: tombstones } });
            last = { values, others: known, tombstones, current, said, rules };
            return rules;
          }),
        ),
      ),
    );
}

/** A document is fresh if it was requested since then. */
function askedSince(sinceMs: number, now: () => number): Freshness {
  const age = (): number => now() - sinceMs;
  return {
    get freshMs() {
      return age();
    },
    get missingMs() {
      return age();
    },
    goneAfterMs,
  };
}

/** The settings of the mirror. The public registry comes last. */
export function mirrorRules(
  values: SettingValues,
  others: readonly UpstreamSettings[],
  environment: Environment,
  releases: ReleaseRules = noRules,
): MirrorRules {
  const url = values['mirroring.url'];
  const credential = registryCredential(url, environment);
  const registry: UpstreamSettings = {
    id: publicRegistry,
    isPublic: true,
    url,
    allow: values['mirroring.allow'],
    deny: values['mirroring.deny'],
    ...(credential === undefined ? {} : { credential }),
  };
  return {
    reserved: values['mirroring.reserved'],
    sharedVendors: values['mirroring.shared_vendors'],
    upstreams: [...others, ...(values['mirroring.enabled'] ? [registry] : [])],
    releases,
    freshness: {
      freshMs: values['mirroring.fresh'] * 1000,
      missingMs: values['mirroring.missing'] * 1000,
      goneAfterMs: goneAfterMs,
    },
    distBaseUrl: archiveBase(values.dist_url),
  };
}

/** A package counts as removed after an upstream has reported so for this time. */
const goneAfterMs = 900_000;

/** Composer fails on the same values in an upstream's record as in a composer.json. */
export function checkUpstreamRecord(record: JsonObject): string | undefined {
  try {
    checkComposerJson(record);
    return undefined;
  } catch (error) {
    if (error instanceof QuarantineError) return error.message.replace(/\.$/, '');
    throw error;
  }
}
