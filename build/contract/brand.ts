// Nominal types: a value of a branded type was parsed at a border, and is not checked again inside.

declare const brand: unique symbol;

/** A `Base` that only the parser named `Name` hands out. */
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };
