// The changes of an import so far, and the refusals of its entries.

import { RegistryError } from '../../build/contract/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../build/contract/json.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import type { Invitation } from '../../proxy/auth/invitations.ts';
import { UsageError } from '../io/usage-error.ts';

export interface ImportedChange {
  readonly what: 'setting' | 'repository' | 'user' | 'team' | 'publisher' | 'policy';
  /** a setting's key, `policy`, a repository's address, a user's email or a publisher's name */
  readonly name: string;
  readonly change: 'create' | 'update';
  /** field → new value. An update contains only changed fields; a setting has the field `value`. */
  readonly fields: JsonObject;
}

export interface Imported {
  readonly changes: readonly ImportedChange[];
  /** for new users */
  readonly invitations: readonly (Invitation & { readonly email: string })[];
  /** addresses of repositories whose credentials are absent from the file */
  readonly withoutCredentials: readonly string[];
}

/** Collects the changes of an import, and the refusals of its entries. */
export class ImportDraft {
  readonly changes: ImportedChange[] = [];
  readonly invitations: (Invitation & { readonly email: string })[] = [];
  readonly withoutCredentials: string[] = [];
  readonly #refusals: string[] = [];

  /** Runs `work` for one entry, and notes its refusal. */
  async attempt(entry: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof BuildRefused) && (!(error instanceof RegistryError) || error.status >= 500)) throw error;
      this.#refusals.push(`  ${entry}: ${reasonOf(error)}`);
    }
  }

  /** Throws UsageError if an entry was refused. */
  finish(): Imported {
    const { changes, invitations, withoutCredentials } = this;
    if (this.#refusals.length > 0)
      throw new UsageError(['The file cannot be imported, and nothing was changed:', ...this.#refusals].join('\n'));
    return { changes, invitations, withoutCredentials };
  }
}

function reasonOf(error: RegistryError | BuildRefused): string {
  const issues = error instanceof RegistryError ? error.details['issues'] : undefined;
  const found = Array.isArray(issues)
    ? (issues as readonly JsonValue[])
        .filter(isJsonObject)
        .map(({ path, message: what }) => `${String(path)} ${String(what)}`)
    : [];
  return found.length === 0 ? error.message : found.join('; ');
}
