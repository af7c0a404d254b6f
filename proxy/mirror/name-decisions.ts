// Decides which upstreams a package name belongs to (I9, I17), and remembers each decision until the next publication
// or change of the settings.

import type { PackageName } from '../../build/contract/name.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import type { MaybeAsync } from '../../build/shared/concurrency/maybe-async.ts';
import type { Moment } from '../core/protocol/mirrored-packages.ts';
import type { Belonging } from '../core/tree/precedence.ts';
import type { ReadPrivateNames } from '../core/tree/private-names.ts';
import type { Belongings } from './advisories/mirrored-advisories.ts';
import type { Compiled, MirrorRules } from './rules/mirror-rules.ts';
import { PrivateNamesUnknown } from './upstream/mirror-failure.ts';
import type { Upstream } from './upstream/upstream.ts';

export interface NameDecisionsOptions {
  readonly rules: () => MaybeAsync<MirrorRules>;
  readonly compile: (rules: MirrorRules) => Compiled;
  readonly privateNames: ReadPrivateNames;
}

/** The settings of the mirror at one moment, and the decisions that follow from them. */
export interface MirrorSettingsSnapshot {
  /** the same object while the rules are unchanged */
  readonly compiled: Compiled;
  readonly belongs: (name: PackageName) => Belonging;
}

interface Decision {
  readonly belonging: Belonging;
  readonly compiled: Compiled;
  readonly epoch: number;
}

export class NameDecisions {
  readonly #options: NameDecisionsOptions;
  readonly #decisions = new ByteCache<Decision>(4 * 1024 ** 2);

  constructor(options: NameDecisionsOptions) {
    this.#options = options;
  }

  async of(name: PackageName, moment: Moment): Promise<Belonging> {
    return this.#decide(name, this.#options.compile(await this.#options.rules()), moment);
  }

  /** Reads settings and private names again, for callers that visit all cached packages. */
  async settings(): Promise<MirrorSettingsSnapshot> {
    const compiled = this.#options.compile(await this.#options.rules());
    if (compiled.upstreams.size === 0)
      return { compiled, belongs: () => ({ to: 'nobody', because: 'nothing is mirrored' }) };
    const privateNames = await this.#options.privateNames();
    return { compiled, belongs: (name) => compiled.precedence(name, privateNames) };
  }

  /** True if the name belongs to upstreams under exactly this publication (I17). */
  isElsewhere(name: PackageName, { epoch }: Moment): boolean {
    const known = this.#decisions.get(name);
    return known?.epoch === epoch && known.belonging.to === 'upstreams';
  }

  /** The upstreams of each mirrored name; without the other names. */
  async upstreamsOf(names: Iterable<PackageName>, moment: Moment): Promise<Belongings> {
    const compiled = this.#options.compile(await this.#options.rules());
    const belongings = new Map<PackageName, readonly Upstream[]>();
    for (const name of compiled.upstreams.size === 0 ? [] : names) {
      const belonging = await this.#decide(name, compiled, moment);
      if (belonging.to === 'upstreams')
        belongings.set(
          name,
          belonging.ids.flatMap((id) => compiled.upstreams.get(id) ?? ([] as Upstream[])),
        );
    }
    return belongings;
  }

  /** undefined: the name is not mirrored. `ids`: of its upstreams. Throws PrivateNamesUnknown. */
  async ifMirrored<Value>(
    name: PackageName,
    moment: Moment,
    use: (ids: readonly string[], compiled: Compiled) => MaybeAsync<Value | undefined>,
  ): Promise<Value | undefined> {
    const compiled = this.#options.compile(await this.#options.rules());
    if (compiled.upstreams.size === 0) return undefined;
    const belonging = await this.#decide(name, compiled, moment);
    if (belonging.to === 'nobody' && belonging.unknown === true) throw new PrivateNamesUnknown();
    return belonging.to === 'upstreams' ? use(belonging.ids, compiled) : undefined;
  }

  async #decide(name: PackageName, compiled: Compiled, { epoch }: Moment): Promise<Belonging> {
    const known = this.#decisions.get(name);
    if (known !== undefined && known.compiled === compiled && known.epoch === epoch) return known.belonging;
    const belonging = compiled.precedence(name, await this.#options.privateNames());
    this.#decisions.set(name, { belonging, compiled, epoch }, name.length + 400);
    return belonging;
  }
}
