// The types of php-lexer.mjs: what this program uses of php-parser 3.

/** Names of tokens by number. */
export declare const tokens: { readonly values: Readonly<Record<string | number, string>> };

export declare class Lexer {
  constructor(engine: { readonly tokens: typeof tokens });
  all_tokens: boolean;
  short_tags: boolean;
  version: number;
  readonly EOF: number;
  readonly yytext: string;
  readonly yylloc: { readonly first_line: number };
  setInput(text: string): void;
  lex(): number | string;
}
