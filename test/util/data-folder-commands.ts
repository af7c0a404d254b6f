// The commands that use a data folder, each with arguments that suit the folder of a test.

const repository = 'repo_0000000000000000';
const connection = 'conn_4fHj2kLm9QwErTy0';
const publisher = 'pub_4fHj2kLm9QwErTy0';
const endpoint = 'ntf_4fHj2kLm9QwErTy0';

/** Every command that only reads or changes an existing data folder. */
export const reading: readonly (readonly string[])[] = [
  ['status'],
  ['verify'],
  ['usage', 'acme/hello'],
  ['tell', 'acme/hello', '--subject', 'Ends', '--text', 'Update'],
  ['report', 'composer.lock', '--project', 'shop'],
  ['why', 'acme/hello'],
  ['impact', 'composer.lock'],
  ['history', 'list'],
  ['history', 'diff', '1'],
  ['rollback', '1'],
  ['prune'],
  ['backup', 'copy'],
  ['config', 'export', '--out', '-'],
  ['token', 'list'],
  ['token', 'show', 'tok_0'],
  ['token', 'update', 'tok_0', '--limit', '5'],
  ['token', 'explain', 'tok_0', 'acme/hello'],
  ['token', 'rotate', 'tok_0'],
  ['token', 'revoke', 'tok_0'],
  ['user', 'list'],
  ['user', 'show', 'ada@example.org'],
  ['user', 'update', 'bob@example.org', '--name', 'Bob'],
  ['user', 'disable', 'bob@example.org'],
  ['team', 'list'],
  ['team', 'show', 'Shop'],
  ['team', 'update', 'Shop', '--name', 'Store'],
  ['team', 'add-member', 'Shop', 'bob@example.org'],
  ['team', 'remove-member', 'Shop', 'bob@example.org'],
  ['team', 'remove', 'Shop', '--yes'],
  ['keys', 'list'],
  ['keys', 'rotate'],
  ['settings', 'list'],
  ['settings', 'unset', 'limits.read'],
  ['audit', 'list'],
  ['audit', 'verify'],
  ['package', 'list'],
  ['package', 'withdraw', 'acme/hello', '1.0.0'],
  ['package', 'restore', 'acme/hello', '1.0.0'],
  ['package', 'statistics', 'acme/hello'],
  ['package', 'purge', 'acme/hello', '1.0.0', '--reason', 'secret', '--yes'],
  ['package', 'list', '--purged'],
  ['package', 'recover-purged'],
  ['bundle', '--name', 'shop', '--out', '../all.bundle.tar'],
  ['mirror', 'list'],
  ['mirror', 'verify'],
  ['mirror', 'prune'],
  ['mirror', 'warm', 'composer.lock'],
  ['mirror', 'refresh'],
  ['repository', 'list'],
  ['repository', 'show', repository],
  ['repository', 'update', repository, '--interval', '15m'],
  ['repository', 'sync', repository],
  ['repository', 'verify', repository],
  ['repository', 'hook', repository],
  ['repository', 'withdraw'],
  ['repository', 'remove', repository],
  ['site', '../site'],
  ['connection', 'list'],
  ['connection', 'show', connection],
  ['connection', 'refresh', connection],
  ['connection', 'update', connection, '--interval', '2h'],
  ['connection', 'remove', connection],
  ['notify', 'list'],
  ['notify', 'show', endpoint],
  ['notify', 'update', endpoint, '--name', 'Deployment'],
  ['notify', 'remove', endpoint],
  ['notify', 'test', endpoint],
  ['notify', 'deliveries', endpoint],
  ['notify', 'deliveries', endpoint, '--replay-since', '2026-01-01'],
  ['notify', 'mail'],
  ['notify', 'mail', '--remove-password'],
  ['publisher', 'list'],
  ['publisher', 'show', publisher],
  ['publisher', 'update', publisher, '--name', 'Release'],
  ['publisher', 'remove', publisher],
  ['policy', 'show'],
  ['policy', 'check'],
  ['policy', 'test', '../policy.json'],
  ['policy', 'explain', 'acme/hello', '1.0.0'],
  ['policy', 'hits'],
  ['policy', 'feeds'],
  ['policy', 'protect', '--dry-run'],
  ['policy', 'held'],
  ['policy', 'approve', 'acme/hello', '1.0.0', '--reason', 'x'],
  ['policy', 'reject', 'acme/hello', '1.0.0', '--reason', 'x'],
  ['policy', 'import-settings'],
  // any file with a first line: the data folder is refused before the ID token is read
  ['publisher', 'explain', '--token-file', import.meta.filename],
];

/** Every command that may be the first one of a registry: it makes the data folder. */
export const making: readonly (readonly string[])[] = [
  ['build', '../packages'],
  ['token', 'create', '--description', 'CI'],
  ['token', 'import', '../users.htpasswd'],
  ['publish', '../packages/hello'],
  ['receive', '../tree'],
  ['adopt', 'http://127.0.0.1:1'],
  ['repository', 'add', 'https://1.1.1.1/acme/tool.git'],
  ['user', 'create', '--admin', '--email', 'ada@example.org', '--invite'],
  ['team', 'create', 'Shop', '--package', 'acme/*'],
  ['settings', 'set', 'limits.read', '5'],
  ['restore', '--empty'],
  ['config', 'import', '../config.json'],
  ['notify', 'add', 'https://1.1.1.1/hook'],
  ['publisher', 'add', '--issuer', 'github', '--repository', 'acme/hello', '--package', 'acme/hello'],
  ['policy', 'set', '../policy.json'],
  ['restore', '../nowhere'],
];

/** The commands of `reading` that change nothing in the data folder, by their beginnings. */
const onlyReading = (
  'status, verify, usage, why, impact, history, ' +
  'backup, bundle, config export, keys list, settings list, token list, token show, ' +
  'token explain, user list, user show, team list, team show, audit, mirror list, mirror verify, ' +
  'package list, package statistics, repository list, repository show, connection list, connection show, ' +
  'notify list, notify show, publisher list, publisher show, publisher explain, ' +
  'policy show, policy check, policy test, policy explain, policy hits, policy feeds, ' +
  'policy held, policy protect --dry-run'
).split(', ');
/** Whether a command of `reading` changes the data folder. */
export const changes = (args: readonly string[]): boolean =>
  ![`notify deliveries ${endpoint}`, 'notify mail'].includes(args.join(' ')) &&
  !onlyReading.some((known) => args.join(' ').startsWith(known));
