// Which published versions of a package the policy keeps out of the metadata, for people who look at the package. Rules
// that name tokens do not count: they are not about the version alone.

import type { PackageName } from '../../../build/contract/name.ts';
import type { PublishedVersion } from '../../packages/published-package.ts';
import { factsOfEntry } from '../apply/record-facts.ts';
import { readsGains } from '../apply/rule-finder.ts';
import type { PackageSource } from './package-source.ts';
import type { PolicyReader } from '../apply/policy-reader.ts';
import { factsOfRecord } from '../judge/facts.ts';
import { blockOf, judgePackage } from '../judge/judge.ts';

export interface Block {
  /** its name */
  readonly rule: string;
  /** completes a sentence: `it is abandoned` */
  readonly because: string;
  /** true: the release waits until time or a person decides */
  readonly isHeld: boolean;
}

/** Finds what keeps a version of one package out; undefined: it is offered. */
export type FindBlock = (version: PublishedVersion) => Block | undefined;

/** The blocks among the versions of a package that is published here. */
export type BlockedVersions = (name: PackageName, nowMs: number) => Promise<FindBlock>;

export function createBlockedVersions(reader: PolicyReader, published: Pick<PackageSource, 'read'>): BlockedVersions {
  return async (name, nowMs) => {
    const policy = await reader.current(nowMs);
    const { rules } = policy.rules.about(name, 'private', undefined);
    if (rules.length === 0) return () => undefined;
    const gains = readsGains(rules) ? (await published.read(name))?.gains : undefined;
    const judge = judgePackage(rules, policy.factsOf(name, 'private', {}, gains));
    return ({ entry, record }) => {
      const block = blockOf(judge(factsOfEntry(entry, factsOfRecord(record), true), nowMs));
      return block && { rule: block.rule.name, because: block.because, isHeld: block.isHeld };
    };
  };
}
