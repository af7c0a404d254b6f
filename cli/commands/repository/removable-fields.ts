// What `repository update --without` can take away, named as its flags. Apart from the flags' own file, which loads
// more than a help text needs.

export const removable = [
  'credentials',
  'interval',
  'only',
  'except',
  'versions',
  'minimum-stability',
  'tag',
  'branch',
  'subdirectory',
  'package',
] as const;

export type Removable = (typeof removable)[number];
