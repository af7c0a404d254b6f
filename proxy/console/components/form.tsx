// Forms and their fields: a label, a hint, the control, and the fault beneath it. After a refusal a field shows what
// was typed, except passwords.

import { createContext, useContext, type Child, type JSX } from 'hono/jsx';
import { emptyForm, type FormState, passwordField } from '../request/form-fields.ts';
import { ConfirmAtProvider, ConfirmContext } from './confirm-at-provider.tsx';
import { Icon, type IconName } from './icon.tsx';
import { MarkedText } from './marked-text.tsx';
import { FilledBy, Notice } from './notice.tsx';
import { PasskeyButton, ProofsContext } from './passkey-button.tsx';
import { A, hrefTo, PlaceContext } from './place.tsx';

/** What the fields of the form around them show. */
export const FormContext = createContext<FormState>(emptyForm);

interface FormProps {
  readonly state: FormState;
  readonly children?: Child;
  /** true: the form asks for the password again */
  readonly asksPassword?: boolean;
  /** the words on the button: a verb and its object */
  readonly submit: string;
  readonly isDanger?: boolean;
  /** the page to go to instead; undefined: none */
  readonly cancel?: string | undefined;
  /** for buttons outside of the form */
  readonly id?: string;
  /** the page that takes the post; undefined: the page on which the form stands */
  readonly action?: string;
  /** true: the form has buttons of its own above the main one, and Enter means the main one */
  readonly hasOtherButtons?: boolean;
  /** true: a button among the children posts the form */
  readonly hasNoButton?: boolean;
  /** the part of the page that shows the answer where it is no redirect: with JavaScript the form keeps its secrets */
  readonly check?: string;
}

export function Form(props: FormProps): Child {
  const { state, children, asksPassword = false, submit, isDanger = false, cancel, action } = props;
  const checking = props.check === undefined ? {} : { 'data-check': props.check };
  const place = useContext(PlaceContext);
  const confirmsFirst = asksPassword && useContext(ConfirmContext) !== undefined;
  return (
    <FormContext.Provider value={state}>
      <form
        class="form"
        method="post"
        id={props.id}
        {...(action === undefined ? {} : { action: hrefTo(place, action) })}
      >
        <FilledBy />
        {state.refusal === undefined ? null : (
          <Notice kind="bad">
            <MarkedText text={state.refusal} />
          </Notice>
        )}
        {props.hasOtherButtons === true ? <EnterButton {...checking} /> : null}
        {children}
        {asksPassword ? <Proof /> : null}
        <div class="row">
          {props.hasNoButton === true || confirmsFirst ? null : (
            <button class={`button ${isDanger ? 'danger' : 'primary'}`} {...checking}>
              {submit}
            </button>
          )}
          {cancel === undefined ? null : <A to={cancel}>Cancel</A>}
        </div>
      </form>
    </FormContext.Provider>
  );
}

/** Asks again who the person is: at the identity provider where they signed in, by the password, or by a passkey. */
function Proof(): Child {
  const { password, passkey } = useContext(ProofsContext);
  const provider = useContext(ConfirmContext);
  const takesPassword = password && provider === undefined;
  const hasOther = takesPassword || provider !== undefined;
  return (
    <>
      {provider === undefined ? null : <ConfirmAtProvider {...provider} />}
      {takesPassword ? (
        <TextField
          name={passwordField}
          label="Your password"
          type="password"
          autocomplete="current-password"
          hint="You entered it more than five minutes ago."
          required
          data-proof
        />
      ) : null}
      {passkey ? (
        <PasskeyButton purpose="confirm" otherwise={hasOther ? undefined : 'Use a browser that has your passkey.'}>
          Confirm with a passkey
        </PasskeyButton>
      ) : null}
      {hasOther || passkey ? null : (
        <Notice kind="warn">
          You have no password and no passkey here. Sign out and in again: for five minutes, forms ask nothing.
        </Notice>
      )}
    </>
  );
}

/** Enter presses the first button of a form. */
function EnterButton(rest: JSX.IntrinsicElements['button']): Child {
  return <button class="unseen" tabindex={-1} aria-hidden="true" {...rest} />;
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  /** what to write, with an example */
  readonly hint?: Child;
  /** what the field shows before anything was typed */
  readonly value?: string | undefined;
}

type TextFieldProps = FieldProps & Omit<JSX.IntrinsicElements['input'], 'name' | 'value' | 'label'>;

export function TextField({ name, label, hint, value, ...rest }: TextFieldProps): Child {
  const shown = rest['type'] === 'password' ? undefined : useTyped(name, value);
  return (
    <Field name={name} label={label} hint={hint}>
      <input id={name} name={name} value={shown} {...descriptions(useContext(FormContext), name, hint)} {...rest} />
    </Field>
  );
}

type TextAreaProps = FieldProps & Omit<JSX.IntrinsicElements['textarea'], 'name' | 'value' | 'label'>;

export function TextArea({ name, label, hint, value, ...rest }: TextAreaProps): Child {
  return (
    <Field name={name} label={label} hint={hint}>
      <textarea id={name} name={name} {...descriptions(useContext(FormContext), name, hint)} {...rest}>
        {useTyped(name, value) ?? ''}
      </textarea>
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function SelectField({
  name,
  label,
  hint,
  value,
  choices,
}: FieldProps & { readonly choices: readonly Choice[] }): Child {
  const shown = useTyped(name, value);
  const isChoice = shown === undefined || shown === '' || choices.some((choice) => choice.value === shown);
  const other = isChoice ? [] : [{ value: shown, label: `${shown}: not possible here, choose another one` }];
  return (
    <Field name={name} label={label} hint={hint}>
      <select id={name} name={name} {...descriptions(useContext(FormContext), name, hint)}>
        {[...other, ...choices].map((choice) => (
          <option value={choice.value} selected={choice.value === shown}>
            {choice.label}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** `isChecked`: before anything was typed. `value`: default `on`. */
export function CheckField({
  name,
  label,
  hint,
  isChecked = false,
  value = 'on',
}: Omit<FieldProps, 'value'> & { readonly isChecked?: boolean; readonly value?: string }): Child {
  const { isPosted, fields } = useContext(FormContext);
  const id = value === 'on' ? name : `${name}-${value}`;
  return (
    <label class="check" for={id}>
      <input
        type="checkbox"
        id={id}
        name={name}
        value={value}
        checked={isPosted ? fields.all(name).includes(value) : isChecked}
      />
      <span>
        {label}
        {hint === undefined ? null : <span class="hint">{hint}</span>}
      </span>
    </label>
  );
}

function Field({ name, label, hint, children }: Omit<FieldProps, 'value'> & { readonly children?: Child }): Child {
  const fault = useContext(FormContext).faults.get(name);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint === undefined ? null : (
        <span class="hint" id={`${name}-hint`}>
          {hint}
        </span>
      )}
      {children}
      {fault === undefined ? null : (
        <span class="fault" id={`${name}-fault`}>
          <Icon name="circle-x" />
          <MarkedText text={fault} />
        </span>
      )}
    </div>
  );
}

type ButtonLinkProps = JSX.IntrinsicElements['a'] & {
  readonly to: string;
  readonly icon?: IconName;
  readonly kind?: 'primary' | 'danger' | 'small' | '';
  readonly label: string;
};

/** A link that looks like a button. */
export function ButtonLink({ to, icon, kind = '', label, ...rest }: ButtonLinkProps): Child {
  return (
    <A to={to} class={`button ${kind}`.trim()} {...rest}>
      {icon === undefined ? null : <Icon name={icon} />}
      {label}
    </A>
  );
}

function useTyped(name: string, standard: string | undefined): string | undefined {
  const { isPosted, fields } = useContext(FormContext);
  return isPosted ? fields.secret(name) : standard;
}

function descriptions({ faults }: FormState, name: string, hint: Child | undefined): Readonly<Record<string, string>> {
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(faults.has(name) ? [`${name}-fault`] : [])];
  return {
    ...(ids.length === 0 ? {} : { 'aria-describedby': ids.join(' ') }),
    ...(faults.has(name) ? { 'aria-invalid': 'true' } : {}),
  };
}
