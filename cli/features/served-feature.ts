// The port to a feature: the parts that the server opens, and the check of `libretto doctor`. The server
// loads a feature only if it is enabled, and opens it after the features that it needs. A feature knows the core, and
// only the offers of other features.

import type { Secret } from '../../build/shared/text/secret.ts';
import type { Services } from '../../proxy/manage/routes.ts';
import type { Family } from '../../proxy/core/observe/metrics-text.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';
import type { Feature } from '../../proxy/core/protocol/feature.ts';
import type { SingleSignOn } from '../../proxy/sso/single-sign-on.ts';
import type { Connecting } from '../compose/connections.ts';
import type { Mailing } from '../compose/mailing.ts';
import type { Notifying } from '../compose/notifying.ts';
import type { ComposedPackages } from '../compose/packages.ts';
import type { AnsweredKey } from '../compose/settings.ts';
import type { Syncing } from '../compose/sync.ts';
import type { Config, Configured } from '../config/config.ts';
import type { ListenAddress } from '../config/setting-values.ts';
import type { ServingCore } from '../core/serving-core.ts';
import type { Finding } from '../doctor/finding.ts';
import type { Context } from '../io/context.ts';
import type { ServedMirror } from '../mirror/mirror-for-serving.ts';
import type { CountUse } from '../../proxy/core/protocol/archive-answers.ts';

/** The objects that features offer to each other and to the server, by name. */
export interface FeatureOffers {
  /** the catalogue of published packages, their counts, texts, withdrawals and purges */
  readonly packages?: ComposedPackages;
  readonly mirror?: ServedMirror;
  readonly syncing?: Syncing;
  readonly connecting?: Connecting;
  readonly notifying?: Notifying;
  /** undefined: the registry sends no mail */
  readonly mailing?: Mailing | undefined;
  /** history, reasons and comparisons of published versions; loaded at the first call */
  readonly inspection?: () => Promise<Inspection>;
  /** what the management API and the console call */
  readonly services?: Services;
  /** sign-in at identity providers; undefined: none is configured */
  readonly singleSignOn?: SingleSignOn | undefined;
  readonly onDownload?: CountUse;
  /** a code for creating the first admin; undefined if a user exists */
  readonly setupCode?: () => Promise<Secret | undefined>;
}

/** The address of a feature that has one of its own. */
export interface FeatureListen extends Configured<ListenAddress> {
  /** names it among the addresses of the server */
  readonly name: string;
  /** the flag that sets it, for messages */
  readonly flag: string;
}

export interface OpenFeature {
  readonly offers?: FeatureOffers;
  /** the requests that it answers */
  readonly answers?: Feature;
  /** where it answers them, instead of the server's address */
  readonly listen?: FeatureListen | undefined;
  /** with `listen`: the requests that it answers at the server's address */
  readonly answersThere?: Feature;
  /** keys of packages.json that it answers */
  readonly advertises?: readonly AnsweredKey[];
  /** its metrics */
  readonly families?: () => readonly Family[];
  /** starts its background work; called after all features are open */
  readonly start?: () => Promise<void>;
  readonly close?: () => Promise<void>;
}

export interface ServedFeature {
  readonly name: string;
  /** required features, which are opened before this one */
  readonly requires: readonly string[];
  /** loads the module that opens it, in a server that has it */
  readonly load: () => Promise<FeatureModule>;
  /** its part of `libretto doctor`, if the state can be read */
  readonly checks?: readonly FeatureCheck[];
}

export interface FeatureCheck {
  /** name of the finding for a check that failed */
  readonly name: string;
  readonly advice: string;
  readonly load: () => Promise<{
    readonly check: (config: Config, context: Context) => Promise<readonly Finding[]>;
  }>;
}

/** The exports of the module of a feature. */
export interface FeatureModule {
  readonly open: (core: ServingCore, offers: FeatureOffers) => OpenFeature;
}
