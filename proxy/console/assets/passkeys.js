// Asks for a passkey when a button marked `data-passkey` is pressed, and posts the form of the button with the answer.

const has = globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON !== undefined;
document.documentElement.classList.toggle('without-passkeys', !has);

/** The question of the server, which ends after five minutes. Throws with the server's reason. */
async function fetchQuestion(button) {
  const { passkey: purpose } = button.dataset;
  const proof = button.form.elements.proof?.value ?? '';
  const body = new URLSearchParams({ purpose, about: button.value, proof });
  const answer = await fetch(button.formAction, { method: 'POST', body });
  if (answer.ok && !answer.redirected) return answer.json();
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  throw new Error(
    page.querySelector('.notice.bad')?.textContent ?? 'Load this page again, and sign in if it asks you to.',
  );
}

async function useKey(purpose, options) {
  if (purpose === 'add') {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    return navigator.credentials.create({ publicKey });
  }
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
}

const reasons = {
  NotAllowedError: 'No passkey was used: it was cancelled, or the time ran out. Try again.',
  InvalidStateError: 'This device has a passkey for your account already.',
  SecurityError: 'Browsers have no passkeys at this address. Open the console by its host name, with https.',
};

document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-passkey]');
  if (button === null) return;
  const { form } = button;
  const purpose = button.dataset.passkey;
  const said = button.closest('div:not(.row)').querySelector('[role=status]');
  // the passkey stands for what was to be typed, except for its own name
  if (purpose !== 'add') for (const field of form.querySelectorAll('[data-proof]')) field.required = false;
  if (!form.reportValidity()) return;
  said.textContent = '';
  button.disabled = true;
  try {
    const { token, options } = await fetchQuestion(button);
    const credential = await useKey(purpose, options);
    for (const [name, value] of Object.entries({ token, passkey: JSON.stringify(credential) })) {
      const field = document.createElement('input');
      Object.assign(field, { type: 'hidden', name: `${purpose}-${name}`, value });
      form.querySelector(`[name=${field.name}]`)?.remove();
      form.append(field);
    }
    const main = form.querySelector('button.primary:not([data-passkey]), button.danger');
    if (main) main.click();
    else form.requestSubmit();
  } catch (error) {
    said.textContent = reasons[error.name] ?? error.message;
  }
  button.disabled = false;
});
