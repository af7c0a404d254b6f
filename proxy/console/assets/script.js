// What the pages of the console do with JavaScript beyond what they do without it: copy lines, search as one types, show
// times in the reader's zone, fetch parts that change, upload files, ask in a dialog.

/** Blocks with a button that copies their lines. */
function enableCopying(within) {
  for (const block of within.querySelectorAll('[data-copy]')) {
    block.classList.add('copies');
    const button = block.querySelector('.copy');
    const said = document.createElement('span');
    said.className = 'unseen';
    said.setAttribute('role', 'status');
    block.append(said);
    button.addEventListener('click', async () => {
      const text = block.querySelector('pre').textContent;
      // a page over plain HTTP has no clipboard
      const copied = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('no clipboard'));
      await copied.catch(() => getSelection().selectAllChildren(block.querySelector('pre')));
      said.textContent = 'Copied';
      button.dataset.done = '';
      setTimeout(() => {
        said.textContent = '';
        delete button.dataset.done;
      }, 2000);
    });
  }
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

function showLocalTimes(within) {
  for (const time of within.querySelectorAll('time[datetime]')) time.title = exact.format(new Date(time.dateTime));
}

/** On a phone, tabs scroll sideways: the marked one comes into view. */
function showMarked() {
  for (const mark of document.querySelectorAll('[aria-current=page]')) {
    const list = mark.closest('.tabs');
    const [inner, outer] = [mark, list].map((one) => one?.getBoundingClientRect());
    if (list) list.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2;
  }
}

/** `/`, as long as nothing else is being typed, and Ctrl+K or ⌘K put the cursor into the search. */
function enableSlash() {
  document.addEventListener('keydown', (event) => {
    const isCommand = event.key === 'k' && (event.ctrlKey || event.metaKey);
    if (!isCommand) {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.closest('input, textarea, select, [contenteditable]')) return;
    }
    const search = document.querySelector('[data-slash]');
    if (search === null) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
}

/**
 * Replaces the part of this page with this id by that of a fetched page. Only the newest answer counts: false says that
 * a newer one is on its way. Throws if the part could not be fetched, such as after the end of the session.
 */
function refresherOf(id) {
  let newest = 0;
  return async (address, request) => {
    const turn = ++newest;
    const answer = await fetch(address, request).catch(() => undefined);
    const text = answer?.ok && !answer.redirected ? await answer.text() : '';
    if (turn !== newest) return false;
    const part = new DOMParser().parseFromString(text, 'text/html').getElementById(id);
    if (part === null) throw new Error('the part is missing');
    keepAddresses(part, new URL(address, location));
    document.getElementById(id).replaceWith(part);
    enhance(part);
    return true;
  };
}

/** The results do not fit what was typed: they could not be fetched. */
function sayOld(results) {
  if (results.querySelector('.old') !== null) return;
  const notice = document.createElement('p');
  notice.className = 'notice warn old';
  notice.setAttribute('role', 'status');
  notice.textContent = 'This list is old: the server did not answer, or you were signed out. Press Enter to load it.';
  results.prepend(notice);
}

/** A form marked `data-live` shows its results in `#results` or `#found` while one types. Enter loads them otherwise. */
function enableLiveSearch() {
  for (const form of document.querySelectorAll('form[data-live]')) {
    let waiting;
    const id = form.dataset.live === 'found' ? 'found' : 'results';
    const replace = refresherOf(id);
    const refresh = async () => {
      const fields = [...new FormData(form)].filter(([, value]) => value !== '');
      const address = `${new URL(form.getAttribute('action') ?? '', location).pathname}?${new URLSearchParams(fields)}`;
      if ((await replace(address)) && id === 'results') history.replaceState(null, '', address);
    };
    const soon = (delay, otherwise) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => refresh().catch(otherwise), delay);
    };
    form.addEventListener('input', () => soon(150, () => sayOld(document.getElementById(id))));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (id === 'results') return soon(0, () => form.submit());
      clearTimeout(waiting);
      await refresh().catch(() => undefined);
      (form.querySelector('#found a') ?? { click: () => form.submit() }).click();
    });
  }
}

/** The search in the head shows what it finds below it. Arrows move, Enter opens the first, Escape closes. */
function enablePalette() {
  const form = document.querySelector('form[data-live=found]');
  if (form === null || document.getElementById('found') !== null) return;
  form.insertAdjacentHTML('beforeend', '<div id="found" hidden></div>');
  const close = () => (form.querySelector('#found').hidden = true);
  form.addEventListener('keydown', (event) => {
    const links = [...form.querySelectorAll('#found a')];
    const step = { ArrowDown: 1, ArrowUp: -1, Escape: 0 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    ((step !== 0 && links[links.indexOf(document.activeElement) + step]) || form.q).focus();
    if (step === 0) close();
  });
  for (const kind of ['click', 'focusin'])
    document.addEventListener(kind, (event) => form.contains(event.target) || close());
}

/** The button in `data-preview` posts its form for `#preview`. While one types, the preview follows without it. */
function enablePreviews() {
  for (const holder of document.querySelectorAll('[data-preview]')) {
    const { form, formAction } = holder.querySelector('button');
    const replace = refresherOf('preview');
    let waiting;
    const refresh = async () => {
      const fields = new URLSearchParams(new FormData(form));
      fields.delete('current_password');
      await replace(formAction.split('#')[0], { method: 'POST', body: fields });
    };
    holder.hidden = true;
    form.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => refresh().catch(() => (holder.hidden = false)), 250);
    });
  }
}

/**
 * A button marked `data-check` shows its answer in the part that it names, so that the form keeps its secrets. It follows
 * a redirect.
 */
function enableChecks() {
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-check]');
    if (button === null || !(button.formNoValidate || button.form.reportValidity())) return;
    event.preventDefault();
    const panel = document.getElementById(button.dataset.check);
    panel.replaceChildren(panel.firstElementChild, 'Checking …');
    panel.scrollIntoView({ block: 'nearest' });
    button.disabled = true;
    const body = new URLSearchParams(new FormData(button.form));
    const address = button.getAttribute('formaction') ?? button.form.getAttribute('action');
    const answer = await fetch(address, { method: 'POST', body }).catch(() => undefined);
    const text = (await answer?.text()) ?? '';
    if (answer?.redirected) return void (location.href = answer.url);
    button.disabled = false;
    const page = new DOMParser().parseFromString(text, 'text/html');
    const part = page.getElementById(panel.id);
    if (part === null) return button.form.requestSubmit(button);
    panel.replaceWith(part);
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
    part.scrollIntoView({ block: 'nearest' });
  });
}

/** A button marked `data-adds` adds a copy of the row in that template, instead of posting the form for it. */
function enableAddedRows() {
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-adds]');
    if (button === null) return;
    event.preventDefault();
    const row = document.getElementById(button.dataset.adds).content.firstElementChild.cloneNode(true);
    document.getElementById(button.dataset.to).append(row);
    row.querySelector('input').focus();
  });
}

/** A form is posted once, although its button is pressed twice: the answer to the first post may be a secret. */
function enablePostingOnce() {
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.getAttribute('method') !== 'post' || event.defaultPrevented) return;
    if ('posted' in form.dataset) return void event.preventDefault();
    form.dataset.posted = '';
    setTimeout(() => delete form.dataset.posted, 3000);
  });
}

/** Links and forms of a page that was fetched from `address` lead to the same places on this page. */
function keepAddresses(part, address) {
  for (const name of ['href', 'action', 'formaction'])
    for (const element of part.querySelectorAll(`[${name}]`))
      element.setAttribute(name, new URL(element.getAttribute(name), address).href);
}

/** A form marked `data-upload` takes a file that is dropped on it, and shows how much of the file was sent. */
function enableUploads(within) {
  for (const form of within.querySelectorAll('form[data-upload]')) {
    const bar = form.querySelector('progress');
    form.classList.add('drops');
    const mark = (isOver) => (event) => {
      event.preventDefault();
      form.classList.toggle('over', isOver);
    };
    form.addEventListener('dragover', mark(true));
    form.addEventListener('dragleave', mark(false));
    form.addEventListener('drop', (event) => {
      mark(false)(event);
      form.querySelector('input[type=file]').files = event.dataTransfer.files;
      form.requestSubmit();
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (!bar.hidden) return; // the file is on its way
      const request = new XMLHttpRequest();
      bar.hidden = false;
      request.upload.addEventListener('progress', ({ loaded, total }) => (bar.value = loaded / total));
      request.addEventListener('error', () => form.submit());
      request.addEventListener('load', () => {
        const page = new DOMParser().parseFromString(request.responseText, 'text/html').querySelector('main');
        // the page for signing in, or no page: the browser shows it
        if (page === null || request.responseURL !== form.action) return form.submit();
        keepAddresses(page, form.action);
        document.querySelector('main').replaceWith(page);
        enhance(page);
        page.focus();
      });
      request.open('POST', form.action);
      request.send(new FormData(form));
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
    keepAddresses(dialog, link.href);
    const form = dialog.querySelector('form');
    form.setAttribute('action', link.href);
    const cancel = form.querySelector('a');
    cancel?.addEventListener('click', (click) => {
      click.preventDefault();
      dialog.close();
    });
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    enhance(dialog);
    dialog.showModal();
    // one Enter too many must not do what cannot be undone
    if (document.activeElement.matches('.danger')) cancel?.focus();
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
    for (const menu of document.querySelectorAll('details.menu[open]')) {
      if (menu === except) continue;
      if (menu.contains(document.activeElement)) menu.firstElementChild.focus();
      menu.open = false;
    }
  };
  document.addEventListener('click', (event) => close(event.target.closest('details.menu')));
  document.addEventListener('keydown', (event) => event.key === 'Escape' && close());
}

function enhance(within) {
  enableCopying(within);
  showLocalTimes(within);
  enableRefreshing(within);
  enableUploads(within);
}

enhance(document);
showMarked();
enableSlash();
enableLiveSearch();
enablePalette();
enablePreviews();
enableAddedRows();
enableChecks();
enablePostingOnce();
enableDialogs();
enableMenus();
