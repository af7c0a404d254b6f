// What the pages of the console do with JavaScript beyond what they do without it: copy lines, search as one types, show
// times in the reader's zone, fetch parts that change, ask in a dialog.

/** Blocks with a button that copies their lines. */
function enableCopying(within) {
  for (const block of within.querySelectorAll('[data-copy]')) {
    block.classList.add('copies');
    const button = block.querySelector('.copy');
    const label = button.getAttribute('aria-label');
    button.addEventListener('click', async () => {
      const text = block.querySelector('pre').textContent;
      await navigator.clipboard
        .writeText(text)
        .catch(() => getSelection().selectAllChildren(block.querySelector('pre')));
      button.setAttribute('aria-label', 'Copied');
      button.dataset.done = '';
      setTimeout(() => {
        button.setAttribute('aria-label', label);
        delete button.dataset.done;
      }, 2000);
    });
  }
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

function showLocalTimes(within) {
  for (const time of within.querySelectorAll('time[datetime]')) time.title = exact.format(new Date(time.dateTime));
}

/** `/` puts the cursor into the search, as long as nothing else is being typed. */
function enableSlash() {
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest('input, textarea, select, [contenteditable]')) return;
    const search = document.querySelector('[data-slash]');
    if (search === null) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
}

/** A form marked `data-live` shows its results in `#results` while one types. Only the newest answer counts. */
function enableLiveSearch() {
  for (const form of document.querySelectorAll('form[data-live]')) {
    let waiting;
    let newest = 0;
    const refresh = async () => {
      const turn = ++newest;
      const fields = [...new FormData(form)].filter(([, value]) => value !== '');
      const address = `${form.action.split('?')[0]}?${new URLSearchParams(fields)}`;
      const answer = await fetch(address);
      if (turn !== newest || !answer.ok || answer.redirected) return;
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const results = page.querySelector('#results');
      if (results === null) return;
      document.querySelector('#results').replaceWith(results);
      history.replaceState(null, '', address);
      enhance(results);
    };
    const soon = (delay) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => refresh().catch(() => form.requestSubmit()), delay);
    };
    form.addEventListener('input', () => soon(150));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      soon(0);
    });
  }
}

/** A link marked `data-dialog` leads to a page with a question. The question appears in a dialog instead. */
function enableDialogs() {
  document.addEventListener('click', async (event) => {
    const link = event.target.closest('a[data-dialog]');
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const answer = await fetch(link.href).catch(() => undefined);
    if (answer === undefined || !answer.ok || answer.redirected) return void (location.href = link.href);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const dialog = document.createElement('dialog');
    dialog.className = 'stack';
    dialog.append(...page.querySelector('main').children);
    const heading = dialog.querySelector('h1');
    heading.id = 'question';
    dialog.setAttribute('aria-labelledby', 'question');
    const form = dialog.querySelector('form');
    form.action = link.href;
    for (const anchor of dialog.querySelectorAll('a'))
      anchor.href = new URL(anchor.getAttribute('href'), link.href).href;
    const cancel = form.querySelector('a');
    cancel?.addEventListener('click', (click) => {
      click.preventDefault();
      dialog.close();
    });
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    enhance(dialog);
    dialog.showModal();
  });
}

/** A part marked `data-refresh` is fetched again after so many seconds, until the page shows it without the mark. */
function enableRefreshing(within) {
  const parts = within.matches?.('[data-refresh]') ? [within] : within.querySelectorAll('[data-refresh]');
  for (const part of parts) {
    const refresh = async () => {
      if (!part.isConnected) return;
      const answer = await fetch(location.href).catch(() => undefined);
      if (answer === undefined) return later();
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const next = page.getElementById(part.id);
      if (next === null) return location.reload();
      part.replaceWith(next);
      enhance(next);
    };
    const later = () => setTimeout(refresh, Number(part.dataset.refresh) * 1000);
    later();
  }
}

/** An open menu closes by Escape, and by a click elsewhere. */
function enableMenus() {
  const close = (except) => {
    for (const menu of document.querySelectorAll('details.menu[open]')) if (menu !== except) menu.open = false;
  };
  document.addEventListener('click', (event) => close(event.target.closest('details.menu')));
  document.addEventListener('keydown', (event) => event.key === 'Escape' && close());
}

function enhance(within) {
  enableCopying(within);
  showLocalTimes(within);
  enableRefreshing(within);
}

enhance(document);
enableSlash();
enableLiveSearch();
enableDialogs();
enableMenus();
