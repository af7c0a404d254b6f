// The lexer of php-parser, without its parser and its tree; php-lexer.d.mts has its types.

export { default as Lexer } from 'php-parser/src/lexer.js';
export { default as tokens } from 'php-parser/src/tokens.js';
