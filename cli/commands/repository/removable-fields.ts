// The values of `repository update --without`, named as the flags. The file is separate, because a help text loads it.

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
