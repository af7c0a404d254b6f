// The composition root of the settings that change while the registry runs, and of their checks.

import { RegistryError } from '../../build/contract/errors.ts';
import { archiveBase } from '../../build/contract/registry-address.ts';
import { createAddressPolicy } from '../../build/egress/address-policy.ts';
import { resolveBySystem, type Resolve } from '../../build/egress/guarded-agent.ts';
import type { PeopleRules } from '../../proxy/auth/people-rules.ts';
import { tokenKeyPrefix } from '../../proxy/core/tokens/token.ts';
import type { TokenKind } from '../../proxy/core/tokens/token-format.ts';
import { andThen, type MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { MirroredTree } from '../../proxy/mirror/mirrored-tree.ts';
import { advertisedKeys, type Advertisable } from '../../proxy/settings/advertised.ts';
import { rootChanges, type RootChanges } from '../../proxy/core/tree/root-document.ts';
import type { SettingValues } from '../../proxy/settings/definitions.ts';
import { createSettings, type SettingObjection, type Settings } from '../../proxy/settings/settings.ts';
import { readStoredSettings } from '../../proxy/settings/stored-settings.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { checkedAddresses } from '../builds/git-access.ts';
import { baselineOf } from '../state/state-settings.ts';

export function composeSettings(config: Config, { now }: Pick<Context, 'now'>, state: StateStore): Settings {
  return createSettings({
    store: createAuditedStore({ store: state, now: () => now().getTime() }),
    baseline: baselineOf(config),
    objection: settingObjection(config, state),
  });
}

/**
 * Refuses a `mirroring.url` that the egress guard would never fetch from, and unknown ids in `publishing.staged`. A host
 * name that is unknown now may be known later.
 */
export function settingObjection(
  { egressAllow }: Pick<Config, 'egressAllow'>,
  state: StateStore,
  resolve: Resolve = resolveBySystem,
): SettingObjection {
  const policy = createAddressPolicy(egressAllow.value);
  return async (key, value) => {
    if (key === 'publishing.staged') return unknownStaged(state, value as SettingValues['publishing.staged']);
    if (key !== 'mirroring.url' || typeof value !== 'string') return undefined;
    try {
      await checkedAddresses(value, policy, resolve);
      return undefined;
    } catch (error) {
      return error instanceof RegistryError ? `is not fetched from: ${error.message.replace(/\.$/, '')}` : undefined;
    }
  };
}

/** An id that the setting has already stays valid: its token may be revoked, and removed after a while. */
async function unknownStaged(state: StateStore, ids: readonly string[]): Promise<string | undefined> {
  const present = (await readStoredSettings(state)).get('publishing.staged')?.value;
  const kept: readonly unknown[] = Array.isArray(present) ? present : [];
  const { publisherPrefix } = await import('../../proxy/publishers/model/publisher.ts'); // of a feature
  const found = await Promise.all(
    ids.map(async (id) => {
      const row = (await state.get(`${tokenKeyPrefix}${id}`)) ?? (await state.get(`${publisherPrefix}${id}`));
      return row === undefined && !kept.includes(id) ? [id] : [];
    }),
  );
  const unknown = found.flat();
  if (unknown.length === 0) return undefined;
  return (
    `names ${unknown.join(', ')}, which is no token and no trusted publisher of this registry. ` +
    '`libretto token list` and `libretto publisher list` show the ids'
  );
}

export function standardTokenLimits(settings: Settings): () => MaybeAsync<Readonly<Record<TokenKind, number>>> {
  return () =>
    andThen(settings.current(), (values) => ({ read: values['limits.read'], write: values['limits.write'] }));
}

export function peopleRules(settings: Settings): () => MaybeAsync<PeopleRules> {
  return () =>
    andThen(settings.current(), (values) => ({
      sessionMs: values['sessions.lifetime'] * 1000,
      shortestPassword: values['passwords.min_length'],
    }));
}

const none: readonly string[] = [];

/** A key of packages.json that a feature answers. `security-advisories`: questions about many packages. */
export type AnsweredKey = Advertisable | 'security-advisories';

export interface AdvertisedRootOptions {
  /** the path below which clients reach the registry; undefined: the one of the build */
  readonly path?: string | undefined;
  readonly mirrored?: Pick<MirroredTree, 'isOn' | 'filterLists'> | undefined;
  /** what this server answers; default: all */
  readonly answers?: ReadonlySet<AnsweredKey> | undefined;
  /** false: every client gets the form of metadata-url that was built or set */
  readonly detectsForm?: boolean;
}

/** The addresses of these settings. They take effect at once, whatever the tree was built with. */
export function advertisedRoot(
  settings: Settings,
  { path, mirrored, answers, detectsForm = true }: AdvertisedRootOptions = {},
): () => MaybeAsync<RootChanges> {
  // rebuilt only after a change of the settings: until then they are one object
  let made:
    | {
        readonly of: SettingValues;
        readonly mirrors: boolean;
        readonly filterLists: readonly string[];
        readonly changes: RootChanges;
      }
    | undefined;
  return () =>
    andThen(settings.current(), (values) =>
      andThen(settings.given(), ({ metadata_url }) =>
        andThen(mirrored?.isOn() ?? false, (mirrors) =>
          andThen(mirrors ? (mirrored?.filterLists() ?? none) : none, (filterLists) => {
            if (made?.of !== values || made.mirrors !== mirrors || made.filterLists !== filterLists) {
              made = {
                of: values,
                mirrors,
                filterLists,
                changes: rootChanges(metadata_url, advertisedKeys(answered(values, answers), path), {
                  answersAdvisories: answers?.has('security-advisories'),
                  detectsForm,
                  path,
                  address: archiveBase(values.dist_url),
                  mirrors,
                  filterLists,
                }),
              };
            }
            return made.changes;
          }),
        ),
      ),
    );
}

function answered(values: SettingValues, answers: ReadonlySet<AnsweredKey> | undefined): SettingValues {
  return answers === undefined ? values : { ...values, advertise: values.advertise.filter((key) => answers.has(key)) };
}
