// Completes commander's messages about wrong arguments where people bring a word from another tool. Commander itself
// suggests names with a similar spelling. Pure.

const options: Readonly<Record<string, string>> = {
  '--port': '--listen 127.0.0.1:PORT',
  '--host': '--listen HOST:PORT',
  '--bind': '--listen HOST:PORT',
  '--address': '--listen HOST:PORT',
  '--output': '--data DIRECTORY',
  '--output-dir': '--data DIRECTORY',
  '--name': '--description TEXT',
  '--server': '--url ADDRESS',
  '--registry': '--url ADDRESS',
};

/** Options that other commands have, and why this one has not. */
const absent: Readonly<Record<string, string>> = {
  '--state': 'this command reads no state, so it needs no address of one: leave --state out',
  '--url': 'this command has no remote form: run it on the host of the registry',
};

const listPackages = 'the packages: `libretto package list`; the versions of one: `libretto why VENDOR/PACKAGE`';

const commands: Readonly<Record<string, string>> = {
  install: 'Composer installs packages: composer require VENDOR/PACKAGE',
  require: 'Composer installs packages: composer require VENDOR/PACKAGE',
  update: 'to publish what changed in the sources: `libretto build`',
  add: 'to publish a source: `libretto build SOURCE`',
  run: 'to serve: `libretto serve`',
  up: 'to serve: `libretto serve`',
  list: listPackages,
  ls: listPackages,
  packages: listPackages,
  search: listPackages,
  login: 'to create a token: `libretto token create --description TEXT`',
  delete: 'to withdraw a version: `libretto package withdraw`',
  remove: 'to withdraw a version: `libretto package withdraw`',
};

/** The message with a hint behind its first line. */
export function withHint(message: string): string {
  const [, kind, word = ''] = /^error: unknown (option|command) '([^' =]+)/.exec(message) ?? [];
  const similar = message.includes('(Did you mean');
  if (kind === 'option' && Object.hasOwn(absent, word))
    return message.replace(/(?:\n\(Did you mean [^)]*\))?(\n|$)/, `\n(${absent[word] ?? ''})$1`);
  // a similar command may be another one: `packages` is no group of commands for a person
  if (kind === 'command' && Object.hasOwn(commands, word))
    return message.replace(/(\n\(Did you mean [^)]*\))?(\n|$)/, `$1\n(${commands[word] ?? ''})$2`);
  if (kind === 'option' && Object.hasOwn(options, word) && !similar)
    return message.replace(/\n|$/, `\n(Did you mean ${options[word] ?? ''}?)$&`);
  return message;
}
