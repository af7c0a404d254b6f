// The outcome of a change of a remote registry that its console has to confirm.

/** The operation needs a session: the person confirms it in the console. Nothing was sent or changed. */
export class NeedsConsole extends Error {
  /** the form with its fields filled in */
  readonly form: string;

  /** `isFilledIn`: the link has values. `missing`: the secret fields that the person fills in there */
  constructor(summary: string, form: string, isFilledIn: boolean, missing: readonly string[]) {
    const secrets = missing.join(' and ');
    const filled = secrets === '' ? '; the form is filled in' : `; the form is filled in, but for ${secrets}`;
    const empty = secrets === '' ? '' : `. Enter the ${secrets} there`;
    super(
      `${summary}: this needs a session, which a token is not. Nothing was changed. Confirm it in the console` +
        `${isFilledIn ? filled : empty}${secrets === '' ? '' : ': no link holds a secret'}:`,
    );
    this.name = 'NeedsConsole';
    this.form = form;
  }
}
