// What a PHP file can do, by its tokens: calls of functions, includes, dynamic calls, places of secrets. Each rule looks
// at one token and its neighbours. Pure.

import { findingKey, type Found, type FindingKind } from './finding.ts';
import { literal, noToken, type Token } from './php-tokens.ts';

const functions: Readonly<Partial<Record<FindingKind, string>>> = {
  eval: 'create_function',
  command: 'exec shell_exec system passthru popen proc_open pcntl_exec pcntl_fork',
  native: 'dl',
  network:
    'curl_init curl_exec curl_multi_exec fsockopen pfsockopen stream_socket_client stream_socket_server socket_create ' +
    'socket_connect ftp_connect ftp_ssl_connect ssh2_connect ldap_connect imap_open get_headers mail mb_send_mail ' +
    'dns_get_record dns_get_mx dns_check_record checkdnsrr getmxrr gethostbyname gethostbynamel',
  later:
    'register_shutdown_function register_tick_function spl_autoload_register stream_wrapper_register ' +
    'header_register_callback',
  unserialize: 'unserialize',
  environment: 'getenv putenv apache_getenv php_uname phpinfo gethostname get_current_user posix_getpwuid',
  write:
    'file_put_contents fwrite fputs rename copy unlink rmdir mkdir symlink link touch chmod chown chgrp ' +
    'move_uploaded_file',
};
const kindOfFunction: ReadonlyMap<string, FindingKind> = new Map(
  Object.entries(functions).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as FindingKind] as const),
  ),
);
const readsAddress = new Set('file_get_contents fopen file readfile copy simplexml_load_file'.split(' '));
const takesCallback = new Set(
  (
    'call_user_func call_user_func_array array_map array_walk array_walk_recursive array_filter array_reduce usort uasort ' +
    'uksort iterator_apply preg_replace_callback preg_replace_callback_array register_shutdown_function ' +
    'forward_static_call ob_start set_error_handler set_exception_handler array_udiff array_uintersect'
  ).split(' '),
);
const callsCallback = /^(?:call_user_func|forward_static_call)(?:_array)?$/;
const notBefore = /^(?:->|\?->|::|new|function|fn|const)$/i;
const includes = /^T_(?:INCLUDE|REQUIRE)(?:_ONCE)?$/;
const secrets =
  /auth\.json|(?:^|\/)\.env(?:$|[^\w])|\.ssh(?:$|\/)|id_(?:rsa|ed25519)|\.aws\/|\.netrc|\.npmrc|\.git-credentials|169\.254\.169\.254|metadata\.google\.internal|\/etc\/(?:passwd|shadow)|\/proc\/self\/environ/i;
/** Tokens of one include or of the arguments of one call. */
const mostNeighbours = 60;
const longestDetail = 100;

type Rule = (tokens: readonly Token[], at: number) => Omit<Found, 'line'> | undefined;

/** Each ability once, where it stands first. */
export function codeFindings(tokens: readonly Token[]): readonly Found[] {
  const found = new Map<string, Found>();
  for (const [at, { line }] of tokens.entries())
    for (const rule of rules) {
      const one = rule(tokens, at);
      if (one !== undefined && !found.has(findingKey(one))) found.set(findingKey(one), { ...one, line });
    }
  return [...found.values()];
}

/** The function that is called, or imported by `use function`, in small letters; undefined: there is none. */
export function calledFunction(tokens: readonly Token[], at: number): string | undefined {
  const { kind, text } = tokens[at] ?? noToken;
  if (kind !== literal && kind !== 'T_STRING' && kind !== 'T_NAME_FULLY_QUALIFIED') return undefined;
  const [before, next] = [tokens[at - 1] ?? noToken, tokens[at + 1] ?? noToken];
  const isInParentheses = before.text === '(' && next.text === ')' && tokens[at + 2]?.text === '(';
  if (kind === literal) return next.text === '(' || isInParentheses ? text.toLowerCase() : undefined;
  const isImported = before.kind === 'T_FUNCTION' && tokens[at - 2]?.kind === 'T_USE';
  if (!isImported && (next.text !== '(' || notBefore.test(before.text))) return undefined;
  return text.toLowerCase().replace(/^\\/, '');
}

const rules: readonly Rule[] = [
  (tokens, at) => {
    const name = calledFunction(tokens, at) ?? callbackAt(tokens, at);
    const kind = name === undefined ? undefined : kindOfFunction.get(name);
    return name === undefined || kind === undefined ? undefined : { kind, detail: name };
  },
  (tokens, at) => {
    const { kind, text } = tokens[at] ?? noToken;
    if (kind === 'T_EVAL') return { kind: 'eval', detail: 'eval' };
    if (kind === '' && text === '`') return { kind: 'command', detail: 'backticks' };
    if (kind === 'T_VARIABLE' && text === '$_ENV') return { kind: 'environment', detail: text };
    const isForeign = /^\\?FFI$/i.test(text) && (tokens[at + 1]?.text === '::' || tokens[at - 1]?.kind === 'T_USE');
    return isForeign ? { kind: 'native', detail: 'FFI' } : undefined;
  },
  (tokens, at) =>
    calledFunction(tokens, at) === 'assert' && tokens[at + 2]?.kind === literal
      ? { kind: 'eval', detail: 'assert' }
      : undefined,
  addressRead,
  fileIncluded,
  dynamicCall,
  (tokens, at) => {
    const { kind, text } = tokens[at] ?? noToken;
    const isText = kind === literal || kind === 'T_ENCAPSED_AND_WHITESPACE';
    const [detail] = (isText && secrets.exec(text)) || [];
    return detail === undefined ? undefined : { kind: 'secret', detail: detail.toLowerCase() };
  },
];

/** `array_map('exec', …)`, `usort($all, 'exec')`, `array_map(callback: 'exec')`, `$run = 'exec';` */
function callbackAt(tokens: readonly Token[], at: number): string | undefined {
  const name = tokens[at]?.kind === literal ? tokens[at].text.toLowerCase().replace(/^\\/, '') : '';
  if (!kindOfFunction.has(name)) return undefined;
  const isAssigned = tokens[at - 1]?.text === '=' && tokens[at + 1]?.text === ';';
  return isAssigned || takesCallback.has(callAround(tokens, at) ?? '') ? name : undefined;
}

/** The function that has this token as an argument. One takes a list: `preg_replace_callback_array(['/./' => 'exec'])`. */
function callAround(tokens: readonly Token[], from: number): string | undefined {
  let [depth, lists] = [0, 0];
  for (let at = from - 1; at > Math.max(0, from - mostNeighbours); at -= 1) {
    const text = tokens[at]?.kind === '' ? tokens[at]?.text : undefined;
    if (text === ')') depth += 1;
    if (text === ';' || text === '{') return undefined;
    if (text === ']') lists -= 1;
    if (text === '[') lists += 1;
    if (text === '(' && depth === 0) {
      const name = calledFunction(tokens, at - 1);
      return lists <= 0 || name === 'preg_replace_callback_array' ? name : undefined;
    }
    if (text === '(') depth -= 1;
  }
  return undefined;
}

function addressRead(...[tokens, at]: Parameters<Rule>): ReturnType<Rule> {
  const name = calledFunction(tokens, at);
  if (name === undefined || !readsAddress.has(name)) return undefined;
  for (const { kind, text } of restOf(tokens, at + 1)) {
    const [, scheme] = (kind === '' ? undefined : /^["']?(https?|ftps?|ssh2\.\w+|data|phar):/i.exec(text)) ?? [];
    if (scheme !== undefined) return { kind: 'network', detail: `${name} of ${scheme.toLowerCase()}:` };
  }
  return undefined;
}

function fileIncluded(...[tokens, at]: Parameters<Rule>): ReturnType<Rule> {
  if (!includes.test(tokens[at]?.kind ?? '')) return undefined;
  const operand = restOf(tokens, at + 1);
  if (operand.some(({ kind }) => kind === 'T_VARIABLE')) return { kind: 'include', detail: 'a variable' };
  const path = operand.findLast(({ kind }) => kind === literal)?.text ?? '';
  if (path === '' || (/\.(?:php|inc|phtml)$/i.test(path) && !path.includes('://'))) return undefined;
  return { kind: 'include', detail: path.slice(0, longestDetail) };
}

/** To the end of the statement, or of the arguments. */
function restOf(tokens: readonly Token[], from: number): readonly Token[] {
  let depth = 0;
  for (let at = from; at < Math.min(tokens.length, from + mostNeighbours); at += 1) {
    const text = tokens[at]?.kind === '' ? tokens[at]?.text : undefined;
    if (text === '(') depth += 1;
    if (text === ')') depth -= 1;
    if (text === ';' || depth < 0 || (text === ')' && depth === 0)) return tokens.slice(from, at);
  }
  return tokens.slice(from, from + mostNeighbours);
}

function dynamicCall(...[tokens, at]: Parameters<Rule>): ReturnType<Rule> {
  const [token, next] = [tokens[at] ?? noToken, tokens[at + 1] ?? noToken];
  if (token.kind === 'T_VARIABLE' && next.text === '(' && !notBefore.test(tokens[at - 1]?.text ?? ''))
    return { kind: 'dynamic-call', detail: 'a variable' };
  if (token.kind === '' && (token.text === ')' || token.text === ']') && next.kind === '' && next.text === '(')
    return { kind: 'dynamic-call', detail: 'an expression' };
  const name = calledFunction(tokens, at);
  return name !== undefined && callsCallback.test(name) && tokens[at + 2]?.kind === 'T_VARIABLE'
    ? { kind: 'dynamic-call', detail: name }
    : undefined;
}
