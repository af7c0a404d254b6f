// The composition root of the settings that change while the registry runs, and what others ask of them.

import type { PeopleRules } from '../proxy/auth/people-rules.ts';
import type { TokenKind } from '../proxy/auth/token-format.ts';
import { whenReady, type Eventually } from '../proxy/eventually.ts';
import { createSettings, type Settings } from '../proxy/settings/settings.ts';
import { createAuditedStore } from '../proxy/state/audit.ts';
import type { StateStore } from '../proxy/state/state-store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';
import { baselineOf } from './state-settings.ts';

export function composeSettings(config: Config, { now }: Pick<Context, 'now'>, state: StateStore): Settings {
  return createSettings({ store: createAuditedStore({ store: state, now: () => now().getTime() }), baseline: baselineOf(config) });
}

export function defaultLimits(settings: Settings): () => Eventually<Readonly<Record<TokenKind, number>>> {
  return () => whenReady(settings.current(), (values) => ({ read: values['limits.read'], write: values['limits.write'] }));
}

export function peopleRules(settings: Settings): () => Eventually<PeopleRules> {
  return () => whenReady(settings.current(), (values) => ({ sessionMs: values['sessions.lifetime'] * 1000, shortestPassword: values['passwords.min_length'] }));
}

/** undefined: as the build wrote it, since nobody has said anything here. */
export function advertisedMetadataUrl(settings: Settings): () => Eventually<string | undefined> {
  return () => whenReady(settings.given(), ({ metadata_url }) => metadata_url);
}
