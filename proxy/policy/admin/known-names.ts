// Collects the names that remarks on a policy compare with: packages, tokens and filter lists.

import { noAdvisories } from '../../../build/contract/advisory-lists.ts';
import { createTurns } from '../../../build/shared/concurrency/yielding.ts';
import { listedFacts, noOutsideLists } from '../apply/current-policy.ts';
import type { PolicySources } from '../apply/policy-reader.ts';
import { malwareIn } from '../judge/facts.ts';
import { noGains } from '../judge/held-releases.ts';
import type { PolicyDocument } from '../model/policy-document.ts';
import { rulesOfSettings } from '../model/rules-of-settings.ts';
import type { RegistryNames } from '../model/unmatchable-rules.ts';
import type { PackageSource } from './package-source.ts';
import type { TokenProfile } from './token-profiles.ts';

interface NameSources {
  readonly sources: PolicySources;
  readonly packages: readonly PackageSource[];
  readonly tokens: () => Promise<readonly TokenProfile[]>;
  readonly nowMs: number;
}

/** `policy`: only the lists that it names are looked for. */
export async function knownNames(
  policy: PolicyDocument,
  { sources, packages, tokens, nowMs }: NameSources,
): Promise<RegistryNames> {
  const names = await Promise.all(
    packages.map(async (source) => ({ origin: source.origin, names: await source.names() })),
  );
  const namesOf = (origin: PackageSource['origin']): readonly string[] =>
    names.flatMap((one) => (one.origin === origin ? one.names : []));
  const isOfPolicy = policy.rules.some((rule) => rule.tokens !== undefined);
  return {
    nowMs,
    privatePackages: namesOf('private'),
    mirroredPackages: namesOf('mirrored'),
    tokens: new Map(isOfPolicy ? (await tokens()).map(({ id, status }) => [id, status]) : []),
    lists: await knownLists(policy, sources, packages, nowMs),
    ofSettings: rulesOfSettings(await sources.settings.current()),
  };
}

/** Lists of libretto.json are known at once. The others are looked for in the packages, until all are found. */
async function knownLists(
  { rules }: PolicyDocument,
  { own, outside }: PolicySources,
  packages: readonly PackageSource[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const ofRegistry = await (own?.read(nowMs) ?? noAdvisories);
  const known = new Set(ofRegistry.filters);
  const wanted = new Set(rules.flatMap((rule) => (rule.rule === 'filter' ? rule.lists : [])));
  const others = outside?.() ?? noOutsideLists;
  const turn = createTurns();
  for (const source of packages) {
    for (const name of await source.names()) {
      if ([...wanted].every((list) => known.has(list))) return known;
      const read = source.origin === 'mirrored' ? await source.read(name).catch(() => undefined) : undefined;
      const about = { name, origin: source.origin, beside: read?.beside ?? {}, gains: () => noGains };
      const { entries, advisories } = listedFacts(ofRegistry, others, about);
      for (const { list } of [...entries, ...malwareIn(advisories)]) known.add(list);
      await turn();
    }
  }
  return known;
}
