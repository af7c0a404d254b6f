// The packages of the registry in the pictures of the documentation: like those of a small company.

import type { PublishedPackages } from './filled-registry.ts';
import { below, type Tree } from './package-tree.ts';
import { whoLibrary } from './who-library.ts';

const readme = `# Billing

Invoices, dunning and SEPA export for shops.

## Use

\`\`\`php
$invoice = $billing->invoiceFor($order);
$invoice->sendTo($customer);
\`\`\`

| Option | Meaning |
| --- | --- |
| \`billing.currency\` | the currency of new invoices |
| \`billing.reminder_days\` | days until the first reminder |

Amounts are exact: the library calculates in cents, and rounds taxes by line.
`;

const changelog = `# Changelog

## 2.4.1

- Rounds taxes by line.
`;

const billing = (version: string, require: Readonly<Record<string, string>>): Tree => ({
  ...whoLibrary('acme/billing', version, {
    description: 'Invoices, dunning and SEPA export for shops.',
    keywords: ['invoice', 'sepa'],
    authors: [{ name: 'Grace Hopper', email: 'grace@example.org' }],
    require,
  }),
  'README.md': readme,
  'CHANGELOG.md': changelog,
});

const library = (name: string, version: string, description: string, fields = {}): Tree =>
  below(name, whoLibrary(`acme/${name}`, version, { description, ...fields }));

export const picturedPackages: PublishedPackages = {
  project: 'payments',
  first: {
    ...below('billing-2.0.0', billing('2.0.0', { php: '>=8.0', 'acme/core': '^1.0' })),
    ...below('billing-2.4.0', billing('2.4.0', { php: '>=8.1', 'acme/core': '^1.0' })),
    ...library('core', '1.2.0', 'Money, dates and addresses.'),
    ...library('mailer', '3.1.2', 'Sends mails with templates of the shop.', { require: { 'acme/core': '^1.0' } }),
    ...library('shop', '5.0.0', 'The shop itself.', { type: 'project', require: { 'acme/billing': '^2.0' } }),
    ...library('xml-export', '1.0.0', 'Exports orders as XML.', { abandoned: 'acme/billing' }),
  },
  second: {
    ...below('billing-2.4.1', billing('2.4.1', { php: '>=8.1', 'acme/core': '^1.2', 'acme/mailer': '^3.1' })),
    ...below('stock', {
      'composer.json': '{"name": "acme/stock", "version": "1.0.0", "require": {"acme/core": "^^1.0"}}',
    }),
  },
};
