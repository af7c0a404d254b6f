// The warnings about the versions of one document: one sentence for each reason. Pure.

import type { Judgement } from '../judge/judge.ts';

export class Warnings {
  readonly #name: string;
  readonly #versions = new Map<string, string[]>();

  constructor(name: string) {
    this.#name = name;
  }

  /** Adds what the judgement of an offered version warns of. */
  add(version: string, { findings }: Judgement): void {
    for (const { rule, because, exception } of findings) {
      if (rule.action !== 'warn' || exception !== undefined) continue;
      const known = this.#versions.get(textOf(because, rule.message));
      if (known === undefined) this.#versions.set(textOf(because, rule.message), [version]);
      else known.push(version);
    }
  }

  /** Sentences for the person who installs. */
  get lines(): readonly string[] {
    return [...this.#versions].map(([text, versions]) => {
      const [because = '', message] = text.split('\n');
      return `${this.#name}: ${because} (${listed(versions)}).${message === undefined ? '' : ` ${message}`}`;
    });
  }
}

function textOf(because: string, message: string | undefined): string {
  return message === undefined ? because : `${because}\n${message}`;
}

function listed(versions: readonly string[]): string {
  return versions.length <= 3
    ? versions.join(', ')
    : `${versions.slice(0, 2).join(', ')} and ${versions.length - 2} more`;
}
