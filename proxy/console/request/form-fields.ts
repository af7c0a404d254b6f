// The fields of a posted form, and the state of a form that is shown: what was typed, and what is wrong with it. A form
// that is refused comes back with what was typed, except passwords.

import { invalidInput, RegistryError, type FieldFault } from '../../../build/contract/errors.ts';

/** The most fields and characters that a form of the console has. */
export const formLimits = { mostBytes: 256 * 1024, mostFields: 2000 };

export class FormFields {
  readonly #values: URLSearchParams;

  constructor(values: URLSearchParams) {
    this.#values = values;
  }

  /** The text without spaces around it; empty if the form has no such field. */
  text(name: string): string {
    return (this.#values.get(name) ?? '').trim();
  }

  /** The unchanged text, for passwords; empty if the form has no such field. */
  secret(name: string): string {
    return this.#values.get(name) ?? '';
  }

  /** The text; undefined if it is empty. */
  optional(name: string): string | undefined {
    const text = this.text(name);
    return text === '' ? undefined : text;
  }

  /** These fields without some. */
  without(names: readonly string[]): FormFields {
    return new FormFields(new URLSearchParams([...this.#values].filter(([name]) => !names.includes(name))));
  }

  checked(name: string): boolean {
    return this.#values.has(name);
  }

  /** The texts of all fields of this name, without empty ones. A link has them as the lines of one field. */
  all(name: string): readonly string[] {
    return this.#values
      .getAll(name)
      .flatMap((text) => text.split(/\r?\n/))
      .map((text) => text.trim())
      .filter((text) => text !== '');
  }

  /** The texts of all fields of this name, with empty ones: fields of one row have the same index. */
  column(name: string): readonly string[] {
    return this.#values.getAll(name).map((text) => text.trim());
  }

  /** The lines of a text area, without empty ones. */
  lines(name: string): readonly string[] {
    return this.text(name)
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
}

/** What a form shows. */
export interface FormState {
  /** false: nothing was posted yet, and each field shows its standard value */
  readonly isPosted: boolean;
  readonly fields: FormFields;
  /** the reason why the form was refused as a whole; undefined: none */
  readonly refusal: string | undefined;
  /** what is wrong with each field, by its name */
  readonly faults: ReadonlyMap<string, string>;
}

export const emptyForm: FormState = {
  isPosted: false,
  fields: new FormFields(new URLSearchParams()),
  refusal: undefined,
  faults: new Map(),
};

/** The form as it was posted, without a refusal. */
export function postedForm(fields: FormFields): FormState {
  return { isPosted: true, fields, refusal: undefined, faults: new Map() };
}

/** The form as it was posted, with the reasons of its refusal. `rename`: paths of the error to names of fields. */
export function refusedForm(
  fields: FormFields,
  error: RegistryError,
  rename: Readonly<Record<string, string>> = {},
): FormState {
  const faults = new Map<string, string>();
  for (const { path, message } of issuesOf(error)) {
    addFault(faults, rename[path] ?? path, sentence(message));
  }
  return { isPosted: true, fields, refusal: faults.size === 0 ? error.message : undefined, faults };
}

/**
 * The form with the faults of lines, such as `packages.2`, at the field of their list. A line that has a name instead
 * of a number names it before its fault.
 */
export function withLineFaults(state: FormState, lists: readonly string[]): FormState {
  const faults = new Map<string, string>();
  for (const [path, fault] of state.faults) {
    const [, list = '', line = ''] = /^(\w+)\.(.+)$/s.exec(path) ?? [];
    if (!lists.includes(list)) addFault(faults, path, fault);
    else addFault(faults, list, /^\d+(?:\.|$)/.test(line) ? fault : `${line}: ${fault}`);
  }
  return { ...state, faults };
}

function addFault(faults: Map<string, string>, field: string, fault: string): void {
  const before = faults.get(field);
  faults.set(field, before === undefined ? fault : `${before} ${fault}`);
}

/** The error of a single field; `message`: a sentence. */
export function fieldFault(path: string, message: string): RegistryError {
  return new RegistryError('INVALID_INPUT', { message, details: { issues: [{ path, message }] } });
}

/** The error of several fields. */
export function fieldFaults(issues: readonly FieldFault[]): RegistryError {
  return invalidInput(...issues);
}

function issuesOf({ details }: RegistryError): readonly FieldFault[] {
  const issues: unknown = details['issues'];
  return Array.isArray(issues) ? (issues as readonly FieldFault[]) : [];
}

/** `must be a name` → `Must be a name.`, `is "x"; allowed: …` → `It is "x"; allowed: …` */
function sentence(text: string): string {
  const whole = text.startsWith('is ') ? `It ${text}` : text;
  const first = whole.charAt(0).toUpperCase() + whole.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

/** The field in which a dangerous form asks for the password again. */
export const passwordField = 'current_password';
