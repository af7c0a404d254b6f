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

const commands: Readonly<Record<string, string>> = {
  install: 'Composer installs packages: composer require VENDOR/PACKAGE',
  require: 'Composer installs packages: composer require VENDOR/PACKAGE',
  update: 'to publish what changed in the sources: `libretto build`',
  add: 'to publish a source: `libretto build SOURCE`',
  run: 'to serve: `libretto serve`',
  up: 'to serve: `libretto serve`',
  list: 'the versions of a package: `libretto why VENDOR/PACKAGE`; how many there are: `libretto status`',
  ls: 'the versions of a package: `libretto why VENDOR/PACKAGE`; how many there are: `libretto status`',
  login: 'to create a token: `libretto token create --description TEXT`',
  delete: 'to withdraw a version: `libretto package withdraw`',
  remove: 'to withdraw a version: `libretto package withdraw`',
};

/** The message with a hint behind its first line. */
export function withHint(message: string): string {
  const [, kind, word = ''] = /^error: unknown (option|command) '([^' =]+)/.exec(message) ?? [];
  const known = kind === 'option' ? options : kind === 'command' ? commands : {};
  const hint = Object.hasOwn(known, word) ? known[word] : undefined;
  if (hint === undefined || message.includes('(Did you mean')) return message;
  return message.replace(/\n|$/, kind === 'option' ? `\n(Did you mean ${hint}?)$&` : `\n(${hint})$&`);
}
