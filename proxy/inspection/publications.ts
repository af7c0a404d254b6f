// The port to the recorded publications: what each changed, when, and by whom. The newest comes first.

export interface RecordedPublication {
  readonly serial: number;
  /** the serial of the publication before; 0 for none */
  readonly previous: number;
  /** RFC 3339 UTC */
  readonly published_at: string;
  /**
   * null: unknown. `actor`: in the form of the audit log. A sync of a repository names the operating system's user of
   * the server.
   */
  readonly by: { readonly actor: string; readonly command: string } | null;
  /** the publication to which a rollback returned; null: it was no rollback */
  readonly rollback_to: number | null;
  readonly counts: {
    readonly added: number;
    readonly changed: number;
    readonly withdrawn: number;
    /** packages with a change, also those whose metadata alone was rewritten */
    readonly packages: number;
  };
  /** the first packages with a change, sorted by name; at most `mostNames` */
  readonly names: readonly string[];
  /** releases of those packages that were added, such as `acme/cart 2.3.1`: branches are no releases */
  readonly released: readonly string[];
  /** their releases that were withdrawn */
  readonly recalled: readonly string[];
}

export const mostNames = 6;

export interface PublicationPage {
  readonly publications: readonly RecordedPublication[];
  /** the `before` of the next page; null: this is the last one */
  readonly next: number | null;
}

export interface ChangedVersion {
  readonly version: string;
  readonly reference: string;
  /** absolute path or URL of the source that published it */
  readonly source: string;
}

/** All lists empty: only the metadata of the package was rewritten. */
export interface ChangedPackage {
  readonly name: string;
  readonly added: readonly ChangedVersion[];
  readonly changed: readonly (ChangedVersion & {
    readonly was: { readonly version: string; readonly reference: string };
  })[];
  readonly withdrawn: readonly ChangedVersion[];
}

export interface PublicationChanges extends RecordedPublication {
  /** the packages of this page, sorted by name */
  readonly packages: readonly ChangedPackage[];
  /** the `from` of the next page; null: this is the last one */
  readonly next: number | null;
}

export interface Publications {
  /**
   * `before`: a serial; the page begins with the publication before it. Default: with the current publication. Empty if
   * nothing older is recorded.
   */
  readonly list: (wanted: { readonly before?: number | undefined; readonly limit: number }) => Promise<PublicationPage>;
  /**
   * `from`: the number of packages to leave out at the beginning. Throws RegistryError NOT_FOUND for a publication that
   * is not recorded.
   */
  readonly get: (
    serial: number,
    page: { readonly from?: number | undefined; readonly limit: number },
  ) => Promise<PublicationChanges>;
  /** The number of versions that builds leave as rolled back. */
  readonly held: () => Promise<number>;
}
