// The command that a person means by a word of another tool: `token delete` is `token revoke`. Pure.

/** A command, as far as its subcommands go. */
export interface UnknownCommand {
  /** `token`; nothing for the program itself */
  readonly group: string;
  /** the operands as typed; the first is the unknown word */
  readonly args: readonly string[];
  /** the names of the subcommands */
  readonly commands: readonly string[];
  /** of the program: the subcommands of each group */
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

const listPackages = 'the packages: `libretto package list`; the versions of one: `libretto why VENDOR/PACKAGE`';
const aboutPackage = 'about one package: `libretto why VENDOR/PACKAGE`; all packages: `libretto package list`';
const composerInstalls = 'Composer installs packages: composer require VENDOR/PACKAGE';
const serving = 'to serve: `libretto serve`';
const withdrawing = 'to withdraw a version: `libretto package withdraw`';
const settings = 'the settings: `libretto settings list`; to change one: `libretto settings set KEY VALUE`';
const publishing = 'to publish a folder: `libretto publish FOLDER`; to publish sources: `libretto build SOURCE`';
const advisories = 'how to publish advisories: docs/how-to/advisories.md';
const notifying = 'the addresses that are notified of events: `libretto notify list`';
const nounFirst = 'the kind of thing stands first, such as `libretto token create`';

/** Words with an answer of their own, by the group; the program itself has no name. */
const answers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    install: composerInstalls,
    require: composerInstalls,
    update: 'to publish what changed in the sources: `libretto build`; a newer Libretto: docs/how-to/upgrade.md',
    upgrade: 'a newer Libretto: docs/how-to/upgrade.md',
    version: 'the version: `libretto --version`',
    add: 'to publish a source: `libretto build SOURCE`',
    run: serving,
    up: serving,
    stop: 'to end a server: Ctrl+C where it runs, or systemctl stop libretto',
    restart: 'to restart a service: systemctl restart libretto',
    logs: 'the log of a service: journalctl -u libretto',
    list: listPackages,
    ls: listPackages,
    packages: listPackages,
    search: listPackages,
    auth: 'to sign a terminal in: `libretto login URL`; to create a token: `libretto token create --description TEXT`',
    delete: withdrawing,
    remove: withdrawing,
    create: nounFirst,
    new: nounFirst,
    revoke: nounFirst,
    show: aboutPackage,
    info: aboutPackage,
    advisory: advisories,
    advisories,
    webhook: `${notifying}; the webhook of a repository: \`libretto repository hook ID\``,
    webhooks: `${notifying}; the webhook of a repository: \`libretto repository hook ID\``,
    notification: notifying,
    notifications: notifying,
    mail: 'mails: `libretto notify mail`',
    connect: '`libretto connect` is now `libretto connection add`',
  },
  package: { show: aboutPackage, info: aboutPackage, status: aboutPackage, add: publishing, create: publishing },
  config: { list: settings, show: settings, get: settings, set: settings },
  notify: {
    rotate: 'a new secret: `libretto notify update ID --rotate`',
    enable: 'to send again: `libretto notify update ID --enable`',
    disable: 'to send no more: `libretto notify update ID --disable`',
    replay: 'to send again: `libretto notify deliveries ID --replay EVENT`',
  },
  mirror: { packages: 'the mirrored packages: `libretto mirror list`', add: 'to fetch ahead: `libretto mirror warm`' },
};

/** Words of one meaning, with the names that commands here have. */
const meanings: readonly (readonly string[])[] = [
  ['create', 'add', 'new', 'make', 'register', 'issue', 'invite'],
  ['show', 'list', 'ls', 'get', 'info', 'view', 'status', 'describe'],
  ['update', 'set', 'change', 'edit', 'modify'],
  ['revoke', 'remove', 'disable', 'withdraw', 'unset', 'delete', 'rm', 'drop', 'prune'],
  ['rotate', 'renew', 'regenerate', 'reset'],
];

/** What is meant, without brackets; undefined: nothing is known about the word. */
export function suggestCommand(word: string, { group, args, commands, groups }: UnknownCommand): string | undefined {
  const [, next = ''] = args;
  const inGroup = sameMeaning(word, groups.get(next) ?? []);
  if (inGroup !== undefined) return `Did you mean \`libretto ${next} ${inGroup}\`?`;
  const own = answers[group];
  if (own !== undefined && Object.hasOwn(own, word)) return own[word];
  const same = group === '' ? undefined : sameMeaning(word, commands);
  return same === undefined ? undefined : `Did you mean ${same}?`;
}

function sameMeaning(word: string, commands: readonly string[]): string | undefined {
  if (commands.includes(word)) return word;
  return meanings.find((words) => words.includes(word))?.find((other) => commands.includes(other));
}
