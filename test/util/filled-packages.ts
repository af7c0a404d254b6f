// The packages of a registry in which every page of the console has something to show: several versions, a README, a
// changelog, packages that need each other, an abandoned one, long names, and one that cannot be published.

import { below, type Tree } from './package-tree.ts';
import { whoLibrary } from './who-library.ts';

const readme = `<!-- a comment -->
<p align="center"><a href="https://elsewhere.example"><img src="https://elsewhere.example/logo.svg" width="400"></a></p>

# Billing

Invoices, dunning and SEPA export for shops.

## Install

\`\`\`sh
composer require acme/billing
\`\`\`

| Option | Meaning |
| --- | --- |
| \`billing.currency\` | the currency of new invoices |
| \`billing.a_setting_with_a_very_long_name_that_no_phone_shows_in_one_line\` | an address |

> [!WARNING]
> Back up first.[^1]

- [x] Invoices, see [the guide](docs/guide.md) and [how to install](#install)
- [ ] Press <kbd>Ctrl</kbd> <img src=x onerror="document.title='hostile'"><br>

<details><summary>More</summary>

Text <sub>below</sub>. <a href="javascript:alert(1)" onclick="alert(1)">x</a>

</details>

<script>document.title = 'hostile'</script>

[^1]: All of it.

![A diagram](https://elsewhere.example/diagram.png)

See [the manual](https://elsewhere.example/manual), or https://elsewhere.example/a/very/long/address/without/any/blank.
`;

const changelog = `# Changelog

## 2.4.1

### Fixed

- Rounds taxes by line.

## 2.0.0

- Removes \`Invoice::total()\`.
`;

const texts = { 'README.md': readme, 'CHANGELOG.md': changelog };

const billing = (version: string): Tree => ({
  ...whoLibrary('acme/billing', version, {
    description: 'Invoices, dunning and SEPA export for shops.',
    type: 'library',
    keywords: ['invoice', 'sepa'],
    homepage: 'https://elsewhere.example/billing',
    authors: [{ name: 'Grace Hopper', email: 'grace@example.org' }],
    require: { php: '>=8.1', 'acme/core': '^1.0' },
    'require-dev': { 'acme/testing': '*' },
    suggest: { 'ext-intl': 'writes amounts in the language of the customer' },
  }),
  ...texts,
});

const longName = 'acme/a-package-whose-name-is-as-long-as-names-of-packages-in-large-companies-are';

/** Sources of the first build. */
export const firstPackages: Tree = {
  ...below('billing-2.0.0', billing('2.0.0')),
  ...below('billing-2.4.0', billing('2.4.0')),
  ...below('billing-3.0.0-beta1', billing('3.0.0-beta1')),
  ...below('core', whoLibrary('acme/core', '1.2.0', { type: 'metapackage' })),
  ...below('shop', whoLibrary('acme/shop', '5.0.0', { type: 'project', require: { 'acme/billing': '^2.0' } })),
  ...below('old', whoLibrary('acme/old', '1.0.0', { abandoned: 'acme/core' })),
  ...below('long', whoLibrary(longName, '1.0.0', { require: { 'acme/billing': '^2.0 || ^3.0@beta' } })),
};

/** Sources that the second build has in addition. The last one cannot be published. */
export const secondPackages: Tree = {
  ...below('billing-2.4.1', billing('2.4.1')),
  ...below('broken', {
    'composer.json': '{"name": "acme/broken", "version": "1.0.0", "require": {"acme/core": "^^"}}',
  }),
};
