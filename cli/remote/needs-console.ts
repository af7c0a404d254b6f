// The outcome of a change of a remote registry that its console has to confirm.

/** The operation needs a session: the person confirms it in the console. Nothing was sent or changed. */
export class NeedsConsole extends Error {
  /** the form with its fields filled in */
  readonly form: string;

  /** `isFilledIn`: the link has values. `missing`: the secret fields that the person fills in there */
  constructor(summary: string, form: string, isFilledIn: boolean, missing: readonly string[]) {
    const rest = missing.length === 0 ? '' : `, but for ${missing.join(' and ')}: no link holds a secret`;
    const state = isFilledIn ? `; the form is filled in${rest}` : '';
    super(
      `${summary}: this needs a session, which a token is not. Nothing was changed. Confirm it in the console${state}:`,
    );
    this.name = 'NeedsConsole';
    this.form = form;
  }
}
