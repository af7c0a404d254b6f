// A text that must not be shown by accident. Every way to print, log, join or serialize it gives `[secret]` (I7).

import { inspect } from 'node:util';

const shown = '[secret]';

export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. Call it only to hand the text to the person it was made for. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}
