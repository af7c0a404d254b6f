// What one document tells the person who installs: a sentence for each reason of a warning, and one sentence if all of
// its versions are blocked. Composer alone would say that the package has no version. Pure.

import { blockOf, type PolicyJudgement } from '../judge/judge.ts';
import type { VersionRule } from '../model/policy-document.ts';

export class Warnings {
  readonly #name: string;
  readonly #versions = new Map<string, string[]>();
  readonly #blocked: string[] = [];
  readonly #blockedBy = new Set<VersionRule>();
  #offered = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Adds a version, and what its judgement warns of. True: the version is offered. */
  add(version: string, judgement: PolicyJudgement): boolean {
    const block = blockOf(judgement);
    if (block !== undefined) {
      this.#blocked.push(version);
      this.#blockedBy.add(block.rule);
      return false;
    }
    this.#offered += 1;
    for (const { rule, because, exception } of judgement.findings) {
      if (rule.action !== 'warn' || exception !== undefined) continue;
      const known = this.#versions.get(textOf(because, rule.message));
      if (known === undefined) this.#versions.set(textOf(because, rule.message), [version]);
      else known.push(version);
    }
    return true;
  }

  /** Sentences for the person who installs. */
  get lines(): readonly string[] {
    const warnings = [...this.#versions].map(([text, versions]) => {
      const [because = '', message] = text.split('\n');
      return `${this.#name}: ${because} (${listed(versions)}).${message === undefined ? '' : ` ${message}`}`;
    });
    return this.#offered === 0 && this.#blocked.length > 0 ? [this.#allBlocked(), ...warnings] : warnings;
  }

  #allBlocked(): string {
    const rules = [...this.#blockedBy];
    const named = rules.map(({ name }) => name).join(', ');
    const messages = [...new Set(rules.flatMap(({ message }) => message ?? []))];
    return [
      `${this.#name}: ${rules.length === 1 ? `the rule ${named}` : `the rules ${named}`} of this registry ` +
        `${rules.length === 1 ? 'blocks' : 'block'} ${listed(this.#blocked)}.`,
      ...messages,
    ].join(' ');
  }
}

function textOf(because: string, message: string | undefined): string {
  return message === undefined ? because : `${because}\n${message}`;
}

function listed(versions: readonly string[]): string {
  return versions.length <= 3
    ? versions.join(', ')
    : `${versions.slice(0, 2).join(', ')} and ${versions.length - 2} more versions`;
}
