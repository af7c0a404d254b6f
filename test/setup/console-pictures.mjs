// Takes the pictures docs/console/*.png: `npm run compile && node test/setup/console-pictures.mjs`. It starts the
// registry of test/util/filled-registry.ts, downloads some archives, and photographs pages of the console in Chromium.

import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createViteServer } from 'vitest/node';

const root = new URL('../..', import.meta.url).pathname;
const folder = join(root, 'docs/console');

/** Name of the picture → page below /ui. */
const pictures = {
  overview: '/overview',
  packages: '/packages',
  package: '/packages/acme/billing',
  'new-token': '/tokens/new',
  history: '/history',
  compare: '/packages/acme/billing/compare?from=2.4.0&to=2.4.1',
};

// the tests' modules are TypeScript, which Node.js 20 does not load by itself
const loader = await createViteServer({ root, configFile: false, logLevel: 'error', server: { middlewareMode: true } });
try {
  const { admin, startFilledRegistry } = await loader.ssrLoadModule('/test/util/filled-registry.ts');
  const { browse } = await loader.ssrLoadModule('/test/util/browser.ts');
  const { picturedPackages } = await loader.ssrLoadModule('/test/util/pictured-packages.ts');
  const filled = await startFilledRegistry(picturedPackages);
  try {
    await install(filled.registry);
    mkdirSync(folder, { recursive: true });
    await photograph(browse, filled.registry.url(), admin);
  } finally {
    await filled[Symbol.asyncDispose]();
  }
} finally {
  await loader.close();
}

/** Downloads packages and reports installs as Composer does, so that the pages have counts to show. */
async function install(registry) {
  const { json } = await registry.api('POST', '/api/tokens', { description: 'Deployment', kind: 'read' });
  const request = async (path, body) => {
    const headers = { authorization: `Bearer ${json.token}`, 'content-type': 'application/json' };
    const answer = await fetch(
      new URL(path, registry.url()),
      body === undefined ? { headers } : { method: 'POST', headers, body },
    );
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.text();
  };
  for (const [name, times] of Object.entries({
    'acme/billing': 12,
    'acme/core': 17,
    'acme/mailer': 9,
    'acme/shop': 4,
  })) {
    const { packages } = JSON.parse(await request(`/p2/${name}.json`));
    const [{ version, dist }] = Object.values(packages[name]);
    for (let time = 0; time < times; time += 1) {
      await request(dist.url);
      await request('/downloads', JSON.stringify({ downloads: [{ name, version }] }));
    }
  }
}

async function photograph(browse, origin, { email, password }) {
  const { page } = await browse(`${origin}/ui/sign-in?next=/overview`);
  try {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('#email').fill(email);
    await page.locator('#password').fill(password);
    await page.locator('form.form button').click();
    await page.waitForURL('**/overview');
    for (const [name, path] of Object.entries(pictures)) {
      await page.goto(`${origin}/ui${path}`);
      if (name === 'new-token') await fillToken(page);
      const file = join(folder, `${name}.png`);
      await page.screenshot({ path: file });
      console.log(`${file} ${statSync(file).size}`);
    }
  } finally {
    await page.context().browser().close();
  }
}

/** Types a row for each package, and waits until the preview follows them. */
async function fillToken(page) {
  await page.locator('#description').fill('CI of acme/shop');
  for (const name of ['acme/billing', 'acme/core:^1.2', 'acme/shop']) {
    await page.getByLabel('Package', { exact: true }).last().fill(name);
    if (name !== 'acme/shop') await page.getByRole('button', { name: 'Add a package' }).click();
  }
  await page.getByRole('heading', { name: 'Sees 3 of' }).waitFor();
  await page.evaluate(() => scrollTo(0, 0));
}
