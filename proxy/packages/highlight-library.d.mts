// The types of highlight-library.mjs: what this program uses of Highlight.js 11.

export declare const highlighter: {
  readonly configure: (options: { readonly classPrefix: string }) => void;
  readonly getLanguage: (nameOrAlias: string) => object | undefined;
  readonly highlight: (
    code: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ) => { readonly value: string };
};
