// Reads the policy in effect: the rules of the settings first, then those of policy.json or of the state. The result is
// one object until a rule or a list changes.

import { formatAdvisoryLists, noAdvisories, type AdvisoryLists } from '../../../build/contract/advisory-lists.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { SettingValues } from '../../settings/definitions.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { compilePolicy, type CompiledPolicy } from '../judge/compile-policy.ts';
import type { ReviewDecision } from '../records/review-decisions.ts';
import { noPolicy, type PolicyDocument } from '../model/policy-document.ts';
import { rulesOfSettings } from '../model/rules-of-settings.ts';
import { readAgain } from '../records/read-again.ts';
import { readStoredPolicy, revisionOf } from '../records/stored-policy.ts';
import { CurrentPolicy, noOutsideLists, readsLists, type OutsideLists } from './current-policy.ts';

export interface PolicyReader {
  /** Returns a plain value, without a promise, while nothing has changed. */
  readonly current: (nowMs: number) => MaybeAsync<CurrentPolicy>;
}

export interface PolicySources {
  readonly settings: { readonly current: () => MaybeAsync<SettingValues> };
  /** The policy without the rules of the settings; one object while it is unchanged. */
  readonly document: () => MaybeAsync<PolicyDocument>;
  /** about held releases; one object while they are unchanged */
  readonly decisions?: (() => MaybeAsync<readonly ReviewDecision[]>) | undefined;
  /** own advisories and filter lists */
  readonly own?: { readonly read: (nowMs: number) => MaybeAsync<AdvisoryLists> } | undefined;
  /** The lists of feeds; one object while they are unchanged. */
  readonly outside?: (() => OutsideLists) | undefined;
}

const noDecisions: readonly ReviewDecision[] = [];

export function createPolicyReader(sources: PolicySources): PolicyReader {
  const { settings, document, own, outside, decisions = () => noDecisions } = sources;
  let last: Latest | undefined;
  const compile = compiling();
  const settled = settledLists();
  const read = async (...reading: Reading): Promise<CurrentPolicy> => {
    const [values, given, , , nowMs] = await Promise.all(reading);
    const decided = readsDecisions(given) ? await decisions() : noDecisions;
    const policy = compile(values, given, decided);
    const reads = readsLists(policy);
    // a list that no rule reads must not make everything be judged again
    const others = (reads ? outside?.() : undefined) ?? noOutsideLists;
    const ownRead = reads ? ((await own?.read(nowMs)) ?? noAdvisories) : noAdvisories;
    const ownLists = settled(ownRead);
    const same = last?.current.compiled === policy && last.ownLists === ownLists && last.others === others;
    const current = same && last !== undefined ? last.current : new CurrentPolicy(policy, ownLists, others);
    last = { values, given, decided, others, ownRead: reads ? ownRead : undefined, ownLists, current };
    return current;
  };
  return {
    // every request comes through here, and mostly nothing has changed
    current: (nowMs) => {
      const [values, given] = [settings.current(), document()];
      const decided = last !== undefined && readsDecisions(last.given) ? decisions() : noDecisions;
      const ownRead = last?.ownRead === undefined ? undefined : own?.read(nowMs);
      const isSame =
        last !== undefined &&
        values === last.values &&
        given === last.given &&
        decided === last.decided &&
        (last.ownRead === undefined || outside === undefined || outside() === last.others) &&
        ownRead === last.ownRead;
      // each promise of these is awaited there: one that nobody awaits would end the process if it rejects
      return isSame && last !== undefined ? last.current : read(values, given, decided, ownRead, nowMs);
    },
  };
}

/** Equal rules and decisions stay one object. */
function compiling(): (...of: [SettingValues, PolicyDocument, readonly ReviewDecision[]]) => CompiledPolicy {
  let compiled: { readonly of: readonly unknown[]; readonly policy: CompiledPolicy } | undefined;
  return (...of: [SettingValues, PolicyDocument, readonly ReviewDecision[]]): CompiledPolicy => {
    if (compiled !== undefined && isSame(compiled.of, of)) return compiled.policy;
    const made = compilePolicy(joined(of[0], of[1]), of[2]);
    // every change of the state makes a new object of values: equal rules stay one object
    const policy = compiled?.policy.key === made.key ? compiled.policy : made;
    compiled = { of, policy };
    return policy;
  };
}

/** Nothing is read of the state where no rule holds a release. */
function readsDecisions({ rules }: PolicyDocument): boolean {
  return rules.some(({ rule }) => rule === 'capability');
}

/** Every publication reads the lists anew: equal ones stay one object. */
function settledLists(): (read: AdvisoryLists) => AdvisoryLists {
  let lists: { readonly read: AdvisoryLists; readonly kept: AdvisoryLists } | undefined;
  return (read) => {
    if (lists?.read === read) return lists.kept;
    const isEqual = lists !== undefined && formatAdvisoryLists(lists.kept) === formatAdvisoryLists(read);
    lists = { read, kept: isEqual && lists !== undefined ? lists.kept : read };
    return lists.kept;
  };
}

/** The values that a request has read; some are not settled yet. */
type Reading = [
  values: MaybeAsync<SettingValues>,
  given: MaybeAsync<PolicyDocument>,
  decided: MaybeAsync<readonly ReviewDecision[]>,
  own: MaybeAsync<AdvisoryLists> | undefined,
  nowMs: number,
];

/** The last policy, and the values that it was made of. */
interface Latest {
  readonly values: SettingValues;
  readonly given: PolicyDocument;
  readonly decided: readonly ReviewDecision[];
  readonly others: OutsideLists;
  /** undefined: no rule reads lists */
  readonly ownRead: AdvisoryLists | undefined;
  readonly ownLists: AdvisoryLists;
  readonly current: CurrentPolicy;
}

/** The policy of the state, read again after each change of the state. */
export function storedDocument(store: Pick<StateStore, 'range' | 'generation'>): () => MaybeAsync<PolicyDocument> {
  const read = async (): Promise<PolicyDocument> => (await readStoredPolicy(store)).policy;
  return readAgain(store, read, revisionOf);
}

/** The policy with these rules instead of its own ones, and with all lists. */
export async function proposedPolicy(
  { settings, own, outside, decisions }: PolicySources,
  given: PolicyDocument,
  nowMs: number,
): Promise<CurrentPolicy> {
  const policy = compilePolicy(joined(await settings.current(), given), await decisions?.());
  const lists = readsLists(policy) ? await (own?.read(nowMs) ?? noAdvisories) : noAdvisories;
  return new CurrentPolicy(policy, lists, outside?.() ?? noOutsideLists);
}

function joined(values: SettingValues, { rules, exceptions }: PolicyDocument): PolicyDocument {
  const ofSettings = rulesOfSettings(values);
  return ofSettings.length === 0 && rules.length === 0
    ? noPolicy
    : {
        rules: [...ofSettings, ...rules.filter(({ name }) => !ofSettings.some((one) => one.name === name))],
        exceptions,
      };
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.every((value, at) => value === other[at]);
}
