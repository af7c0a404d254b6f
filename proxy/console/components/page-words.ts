// What messages of the program advise for the command line, in the words of the console: its pages have buttons for it.
// Messages come from builds and stored jobs as text. Pure.

const ofPages: readonly (readonly [ofCommands: RegExp, words: string])[] = [
  [
    /give this repository others: `libretto repository update \S+` with --password-file, --token-file or --key-file\./g,
    'enter others under “Credentials”.',
  ],
  [
    /give its connection others: `libretto connection update \S+ --token-file FILE`\./g,
    'enter others under “Credentials” of its connection.',
  ],
  [
    /`libretto connection refresh \S+` goes on with it, and with --dry-run it only shows the plan\./g,
    'Its page has the button “Refresh now”.',
  ],
  [
    /or forget one source, such as (`libretto build --forget [^`]*`)\./g,
    'or give one of them up: a repository by “Remove” on its page, another source by $1 on the host.',
  ],
  [
    /, or use --allow-republish if nobody can have installed the old one\./g,
    '. Only if nobody can have installed the old one, `libretto build --allow-republish` on the host replaces it.',
  ],
  [
    /run `libretto package restore \S+ (\S+)` on the host\./g,
    'choose “Restore” beside $1 on the page of its package, under “Versions”.',
  ],
  [
    /(?:List the folder above it in sourceRoots of libretto\.json|The folder is outside the folders in the setting sourceRoots)\./g,
    'This folder is not allowed: whoever runs the server adds it, or one above it, to the setting `sourceRoots`. In a browser, add the address of a Git repository, or upload ZIPs.',
  ],
  [
    /or run `libretto rollback --lift` on the host, which ends the rollback\./g,
    'or ask an admin to choose “End all rollbacks” on the page “Releases”.',
  ],
  [
    /Run `libretto build`: it names the reason\./g,
    'The page of each failing repository names the reason. For a source of libretto.json, `libretto build` names it.',
  ],
];

export function pageWords(message: string): string {
  return ofPages.reduce((text, [ofCommands, words]) => text.replaceAll(ofCommands, words), message);
}

/** `its content differs` → `Its content differs`. Names such as acme/tool and composer.json keep their letters. */
export function withCapital(message: string): string {
  return /^[a-z]+ /.test(message) ? `${message.charAt(0).toUpperCase()}${message.slice(1)}` : message;
}

/** `1.2.0, 1.1.0, 1.0.0 and 4 more`. */
export function shortly(texts: readonly string[]): string {
  const left = texts.length - 3;
  return `${texts.slice(0, 3).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}
