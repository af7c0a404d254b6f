// Why a version is no longer published, as the history of publications says it.

/**
 * `rollback`: an earlier publication was restored. `person`: somebody withdrew the version. `upload`: its upload was
 * withdrawn or cleaned up. `removed`: its source was removed from the registry. `source`: its source did not have it
 * any more.
 */
export type WithdrawalReason = 'rollback' | 'person' | 'upload' | 'removed' | 'source';

export interface WithdrawalCause {
  readonly reason: WithdrawalReason;
  /** the publication that withdrew the version */
  readonly serial: number;
  /** the publication to which a rollback returned; null: it was no rollback */
  readonly rollback_to: number | null;
  /** absolute path or URL of the source, also of one that the registry has forgotten; undefined: unknown */
  readonly source: string | undefined;
}

/** Tells the contents of one package apart. */
export function contentKey({ version, reference }: { readonly version: string; readonly reference: string }): string {
  return `${version} ${reference}`;
}

/** `by the rollback to publication 4`: follows "withdrawn". */
export function causeText({ reason, rollback_to: to }: Pick<WithdrawalCause, 'reason' | 'rollback_to'>): string {
  switch (reason) {
    case 'rollback':
      return `by the rollback to publication ${to}`;
    case 'person':
      return 'by a person';
    case 'upload':
      return 'because its upload was removed';
    case 'removed':
      return 'because its source was removed from the registry';
    case 'source':
      return 'because its source did not have it any more';
  }
}
