// Plays the pages that people look for on the first day, on one host with real systemd and nginx: small-install.md,
// monorepo.md, colleague.md, repositories.md, webhooks.md, feeds.md, the restore drill of backup.md, and below-a-path.md.
// Their lines are pasted, and the real Composer installs packages.
//
// Not run as written:
// - `npm install` of the program: test/e2e/operator.series.test.ts installs the packed file;
// - the certificate: the host's own authority signs it, because there is no internet;
// - the git host git.example.org: nginx of the same host serves the repositories over https, as files. Git gives no
//   single commits of such a host, so `repository verify` does not run;
// - `libretto login` and `libretto connection add`: they need a browser, and a forge.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  certificateLines,
  installWithComposer,
  pasting,
  programLines,
  type DeployedHost,
} from '../util/deployed-host.ts';
import { blocksOf, blockWith } from '../util/page-blocks.ts';
import { lacksScratchHost, startScratchHost, type HostResult } from '../util/scratch-host.ts';
import { lacks } from '../util/tool.ts';

const [small, mono, colleague] = ['small-install', 'monorepo', 'colleague'].map((name) => `docs/how-to/${name}.md`) as [
  string,
  string,
  string,
];
const [path, backup] = ['docs/how-to/below-a-path.md', 'docs/how-to/backup.md'] as const;

/** A certificate for all three names of the host. */
const certificate = certificateLines.replace(
  'subjectAltName=DNS:packages.example.org',
  'subjectAltName=DNS:packages.example.org,DNS:git.example.org,DNS:example.org',
);
const trust = { NODE_EXTRA_CA_CERTS: '/etc/ssl/packages.example.org.pem' };

/** Two repositories at https://git.example.org/acme/. `mono` has the folders that the page shows. */
const gitHost = `
echo '127.0.0.1 git.example.org example.org' >> /etc/hosts
git config --global user.name Me && git config --global user.email me@example.org
git config --global init.defaultBranch main
mkdir -p /srv/tool /root/mono/packages/core /root/mono/packages/shop
echo '{"name": "acme/tool"}' > /srv/tool/composer.json
echo '{"name": "acme/core"}' > /root/mono/packages/core/composer.json
echo '{"name": "acme/shop", "require": {"acme/core": "self.version"}}' > /root/mono/packages/shop/composer.json
for folder in /srv/tool /root/mono; do
  git init -q $folder && cd $folder && git add . && git commit -qm First && git tag 1.0.0
  bare=/srv/git/acme/$(basename $folder).git
  git clone -q --bare $folder $bare && git -C $bare update-server-info
done
sed -i s/tool/more/ /srv/tool/composer.json && cd /srv/tool && git commit -qam More && git tag -f 1.0.0 > /dev/null
git clone -q --bare /srv/tool /srv/git/acme/more.git && git -C /srv/git/acme/more.git update-server-info
cat > /etc/nginx/conf.d/git.conf <<'NGINX'
server {
    listen 443 ssl;
    server_name git.example.org;
    ssl_certificate /etc/ssl/packages.example.org.pem;
    ssl_certificate_key /etc/ssl/packages.example.org.key;
    root /srv/git;
}
NGINX
systemctl start nginx`;

const ready = `timeout 60 sh -c 'until curl -sf http://127.0.0.1:8080/health/ready > /dev/null; do sleep 0.05; done'`;
const tokenIn = ({ output }: HostResult): string => /lib_r_\w+/.exec(output)?.[0] ?? 'none';
const lines = (page: string, text: string): string => blockWith(page, text).text;

describe.skipIf(lacksScratchHost() || lacks('nginx', 'openssl', 'composer', 'php', 'git', 'curl'))(
  'the first day',
  () => {
    let host: DeployedHost;
    let paste: DeployedHost['paste'];
    let token = 'none';
    beforeAll(async () => {
      const empty = await startScratchHost();
      paste = pasting(empty);
      host = { ...empty, paste };
      await paste(`${certificate}\n${gitHost}`);
    });
    afterAll(() => host[Symbol.asyncDispose]());

    const versions = async (data: string): Promise<string> =>
      (await paste(`libretto package list --data ${data} 2>/dev/null`)).stdout;

    it('a small registry publishes, serves behind nginx, and Composer installs from it', async () => {
      expect(readFileSync(new URL(`../../${small}`, import.meta.url), 'utf8')).toMatch(
        /^# .*\n\nYou have the file `libretto-0\.2\.0\.tgz`/,
      );
      await paste(`${programLines}\n${lines(small, 'npm install').replace(/^npm install .*$/m, '')}`);
      await paste(lines(small, 'useradd'));
      await paste(lines(small, 'libretto-operator'));
      const started = await paste(`${lines(small, 'systemctl enable')}\n${ready}`);
      expect(started.output).toContain('+ acme/tool 1.0.0');
      token = tokenIn(started);
      expect((await paste('systemctl is-active libretto.service libretto-build.timer')).stdout).toBe('active\nactive');
      await paste(lines(small, 'nginx.conf'));
      const seen = await paste(lines(small, 'doctor --url').replace('lib_r_…', token), { environment: trust });
      expect(seen.output).not.toMatch(/FAILED|WARNING/);
      await installWithComposer(host, 'small', lines(small, 'composer require').replace('lib_r_…', token));
      for (const closed of ['ui/', 'api/status'])
        expect(
          (await paste(`curl -so /dev/null -w '%{http_code}' https://packages.example.org/${closed}`)).stdout,
        ).toBe('404');
    });

    it('a monorepo is built from the command line', async () => {
      const shown = blocksOf(mono).find(({ text }) => text.startsWith('  + acme/core'))?.text ?? 'no output';
      const built = await paste(`cd /root && export LIBRETTO_DATA=/root/one
      /opt/libretto/bin/${lines(mono, 'libretto build')}`);
      expect(built.output).toContain(shown.trimEnd());
    });

    it('a monorepo is published from libretto.json, and as a registered repository', async () => {
      const { text } = blocksOf(mono).find(({ language }) => language === 'json') ?? { text: '{}' };
      await paste(`mkdir /root/two && cd /root/two && cat > libretto.json && /opt/libretto/bin/libretto build`, {
        input: text,
      });
      expect((await paste('cd /root/two && /opt/libretto/bin/libretto package list')).stdout).toMatch(
        /acme\/core[^]*acme\/shop/,
      );

      await paste(`sed -i 's/"data"/"egress": {"allow": ["127.0.0.1"]}, "data"/' /etc/libretto/libretto.json`);
      const added = await paste(lines(mono, 'libretto repository add'));
      const id = /repo_\w+/.exec(added.output)?.[0] ?? 'none';
      expect((await paste(`libretto repository sync ${id}`)).output).toContain('4 added');
      await installWithComposer(
        host,
        'mono',
        `composer config repositories.libretto composer https://packages.example.org
      composer config --auth bearer.packages.example.org ${token}
      ${lines(mono, 'composer require')}composer show acme/core`,
      );
    });

    it('a colleague gets a token, an account and a team', async () => {
      const made = await paste(lines(colleague, '--description "Ann, laptop"'));
      const [secret, id] = [tokenIn(made), /tok_\w+/.exec(made.output)?.[0] ?? 'none'];
      const mine = lines(colleague, 'config --auth').replace('lib_r_…', secret);
      await installWithComposer(host, 'ann', mine);

      await paste(`sed -i '/"features"/d; s/\\["127.0.0.1"\\],$/["127.0.0.1"]/' /etc/libretto/libretto.json
      systemctl restart libretto\n${ready}`);
      await paste('echo correct horse battery | libretto user create --email me@example.org --admin --password-stdin');
      const invited = await paste(lines(colleague, 'libretto user create'));
      expect(invited.output).toContain('https://packages.example.org/ui/invitation?code=');
      await paste('libretto user create --email bob@example.org --invite');
      await paste(lines(colleague, 'libretto team create Shop'));
      await paste(lines(colleague, 'libretto team add-member'));
      const checks = await host.run(lines(colleague, 'libretto token explain').replace(/tok_\w+/, id));
      expect(checks.output).toContain('acme/shop-cart');
      expect((await paste('libretto team show Shop')).output).toMatch(/members +bob@example\.org\n/);
      await paste(lines(colleague, 'libretto user disable'));
      await paste(lines(colleague, 'libretto token revoke').replace(/tok_\w+/, id));
      const refused = `curl -so /dev/null -w '%{http_code}' -H 'Authorization: Bearer ${secret}' https://packages.example.org/packages.json`;
      expect((await paste(refused)).stdout).toBe('401');
    });

    it('a repository is registered, and its webhook and the feed answer', async () => {
      const [repositories, webhooks, feeds] = ['repositories', 'webhooks', 'feeds'].map(
        (name) => `docs/how-to/${name}.md`,
      );
      const pages = { repositories: repositories ?? '', webhooks: webhooks ?? '', feeds: feeds ?? '' };
      // libretto.json has acme/tool already
      const add = lines(pages.repositories, '--interval 15m').replace('acme/tool', 'acme/more');
      const added = await paste(`install -d -o libretto /srv/work && cd /srv/work && echo secret > token.txt\n${add}`);
      const id = /repo_\w+/.exec(added.output)?.[0] ?? 'none';
      const own = (text: string): string => text.replaceAll(/repo_\w+/g, id);
      await paste(own(lines(pages.repositories, 'repository sync repo_')));
      expect((await paste('libretto why acme/more 1.0.0')).output).toContain('is published');

      const hook = blocksOf(pages.webhooks).find(({ text }) => text.startsWith('libretto repository hook repo_'));
      const secret = /whsec_\S+/.exec((await paste(own(hook?.text ?? 'false'))).output)?.[0] ?? 'none';
      const sent = await paste(`SECRET=${secret}\n${own(lines(pages.webhooks, 'curl --fail -X POST'))}`);
      expect(JSON.parse(sent.stdout)).toMatchObject({ outcome: 'sync' });

      const reader = tokenIn(await paste(lines(pages.feeds, '"Feed reader"')));
      const feed = await paste(lines(pages.feeds, 'curl --user').replace(':TOKEN', `:${reader}`));
      expect(feed.stdout).toContain('acme/more');
    });

    it('a backup is restored elsewhere, served on another port, and equal', async () => {
      await paste(`install -d -m 0700 -o libretto -g libretto /mnt/backups
      libretto backup /mnt/backups/libretto-2027-01-31`);
      await paste(lines(backup, 'libretto verify --data /var/tmp/drill'));
      await paste(`systemd-run -q --unit drill /usr/local/bin/${lines(backup, '8099 --features none')}
      timeout 60 sh -c 'until curl -sf http://127.0.0.1:8099/health/ready > /dev/null; do sleep 0.05; done'`);
      const made = await paste(
        /^libretto token create .*$/m.exec(lines(backup, '--description Drill'))?.[0] ?? 'false',
      );
      const install = lines(backup, '--description Drill').replace(/^(?:libretto token|composer init) .*$/gm, '');
      await installWithComposer(host, 'drill', install.replace('TOKEN', tokenIn(made)));
      expect(await versions('/var/tmp/drill')).toContain('acme/tool');
      await paste(`cd /root/drill\n${lines(backup, 'diff now.txt')}`);
      await paste(`systemctl stop drill\n${lines(backup, 'rm -r /var/tmp/drill')}`);
    });

    it('the registry moves below a path of another host name', async () => {
      const { publicUrl } = JSON.parse(blocksOf(path).find(({ language }) => language === 'json')?.text ?? '{}') as {
        publicUrl: string;
      };
      await paste(`sed -i 's#"publicUrl": ".*"#"publicUrl": "${publicUrl}"#' /etc/libretto/libretto.json`);
      const nginx = lines(path, 'nginx-path.conf');
      // the certificate of this host has the name that nginx-path.conf came with
      await paste(nginx.replace(/ > (.*)$/m, ' | sed "s#/etc/ssl/example.org#/etc/ssl/packages.example.org#" > $1'));
      await paste(`${lines(path, 'systemctl restart libretto')}${ready}`);
      const seen = await paste(lines(path, 'doctor --url').replace('lib_r_…', token), { environment: trust });
      expect(seen.output).not.toMatch(/FAILED|WARNING/);
      expect((await paste('curl -s -o /dev/null -w "%{http_code}" https://example.org/packages.json')).stdout).toBe(
        '404',
      );
      const install = lines(path, 'composer config --auth').replace('lib_r_…', token);
      await installWithComposer(host, 'path', `${install}composer require acme/tool`);
    });

    it('every block of shell of these pages is played, or needs a browser or a forge', () => {
      const played = readFileSync(new URL(import.meta.url), 'utf8');
      const unplayed = [small, mono, colleague, path].flatMap((page) =>
        blocksOf(page)
          .filter(({ language, text }) => language === 'sh' && !text.startsWith('libretto login '))
          .filter(
            ({ text }) =>
              ![...played.matchAll(/lines\(\w+, '([^']+)'\)/g)].some(([, part = '']) => text.includes(part)),
          )
          .map(({ text }) => `${page}: ${text}`),
      );
      expect(unplayed).toEqual([]);
    });
  },
);
