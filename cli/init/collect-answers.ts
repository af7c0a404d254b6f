// Collects the answers of `libretto init`: a flag answers its question; a terminal is asked for the rest; without a
// terminal, --yes takes the standard answers.

import { UsageError } from '../io/usage-error.ts';
import type { Answers, Draft } from './answers.ts';
import { questions } from './question-list.ts';
import type { AnswerContext, InitQuestion } from './question.ts';

export interface AnswerCollector {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly place: AnswerContext;
  /** asks at the terminal; undefined without one */
  readonly ask: ((prompt: string) => Promise<string>) | undefined;
  /** shows a sentence about an answer */
  readonly report: (line: string) => void;
  /** --yes: the standard answers apply to all that no flag answers */
  readonly standardsApply: boolean;
}

/** Throws UsageError with every fault of the flags, and with every flag that is missing. */
export async function collectAnswers(collector: AnswerCollector): Promise<Answers> {
  refuseMissing(collector);
  const problems: string[] = [];
  let draft: Draft = {};
  for (const question of questions) {
    draft =
      question.flag === 'publicUrl' && collector.ask !== undefined
        ? await answerAddress(question, draft, collector, problems)
        : await answer(question, draft, collector, problems);
  }
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const { sources = [], listen = '', data = '' } = draft;
  return {
    sources,
    listen,
    data,
    publicUrl: draft.publicUrl,
    proxy: draft.proxy ?? 'none',
    trustedProxies: draft.trustedProxies ?? [],
    tls: draft.tls ?? 'none',
    tlsCert: draft.tlsCert,
    tlsKey: draft.tlsKey,
    gitHosts: draft.gitHosts ?? [],
    systemd: draft.systemd,
    proxyFile: draft.proxyFile,
    archives: draft.archives ?? 'path',
    countBy: draft.countBy,
  };
}

function refuseMissing({ flags, ask, standardsApply }: AnswerCollector): void {
  if (ask !== undefined || standardsApply) return;
  const isLocal = flags['publicUrl'] === 'none' || flags['publicUrl'] === '';
  const missing = questions.filter(
    ({ flag, essential, needs }) =>
      essential === true && flags[flag] === undefined && !(isLocal && needs !== undefined),
  );
  if (missing.length > 0)
    throw new UsageError(
      `There is no terminal to ask questions, and these flags are missing: ${missing.map(({ option }) => option).join(', ')}. ` +
        'Give them, or --yes for the standard answers. `libretto init --help` shows an example.',
    );
}

const needsAddress = 'an address for clients (--public-url)';

function inVain(option: string, needs: string): string {
  return `${option} has no effect without ${needs}. Give both, or leave it out.`;
}

/** The option as the person gave it: `--nginx FILE` names the proxy and its file. */
function optionOf({ flag, option }: InitQuestion, flags: AnswerCollector['flags']): string {
  return flag.startsWith('proxy') && flags['proxyFile'] !== undefined ? `--${String(flags['proxy'])}` : option;
}

/**
 * The address for clients at a terminal, where every question with `needs` needs one. A typed answer without an address
 * is asked again if a flag needs one. Throws UsageError if `--public-url none` leaves no choice, before a person
 * answers more questions in vain.
 */
async function answerAddress(
  question: InitQuestion,
  draft: Draft,
  collector: AnswerCollector,
  problems: string[],
): Promise<Draft> {
  const { flags, report } = collector;
  const pointless = questions.find(({ flag, needs }) => needs !== undefined && flags[flag] !== undefined);
  for (;;) {
    const answered = await answer(question, draft, collector, problems);
    if (answered.publicUrl !== undefined || pointless === undefined || problems.length > 0) return answered;
    const option = optionOf(pointless, flags);
    if (flags[question.flag] !== undefined) throw new UsageError(inVain(option, needsAddress));
    report(`${option} needs an address for clients. Write it, or stop with Ctrl+C and leave ${option} out.`);
  }
}

async function answer(
  question: InitQuestion,
  draft: Draft,
  collector: AnswerCollector,
  problems: string[],
): Promise<Draft> {
  const { flag, needs } = question;
  const given = collector.flags[flag];
  if (!question.applies(draft)) {
    if (given !== undefined && problems.length === 0)
      problems.push(
        inVain(
          optionOf(question, collector.flags),
          draft.publicUrl === undefined ? needsAddress : (needs ?? 'other answers'),
        ),
      );
    return draft;
  }
  if (given !== undefined) return answerByFlag(question, given, draft, collector, problems);
  if (collector.ask !== undefined && !collector.standardsApply)
    return question.repeats === true
      ? askRepeatedly(question, draft, collector.ask, collector)
      : askOnce(question, draft, collector.ask, collector);
  return answerByStandard(question, draft, collector, problems);
}

async function answerByFlag(
  question: InitQuestion,
  given: unknown,
  draft: Draft,
  collector: AnswerCollector,
  problems: string[],
): Promise<Draft> {
  let answered = draft;
  for (const text of Array.isArray(given) ? given : [given]) {
    try {
      answered = await understood(question, withHome(String(text), homeOf(collector)), answered, collector);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(`${question.option}: ${error.message}`);
    }
  }
  return answered;
}

async function answerByStandard(
  question: InitQuestion,
  draft: Draft,
  collector: AnswerCollector,
  problems: string[],
): Promise<Draft> {
  const standard = await question.standard(draft, collector.place);
  if (standard !== undefined)
    try {
      return await understood(question, standard, draft, collector);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      // after another problem, the standard answer belongs to answers that were refused
      if (problems.length === 0) problems.push(error.message);
      return draft;
    }
  if (problems.length === 0) problems.push(`${question.option} has no standard answer here. Give the flag.`);
  return draft;
}

/** Asks until the answer can be used. */
async function askOnce(
  question: InitQuestion,
  draft: Draft,
  ask: (prompt: string) => Promise<string>,
  collector: AnswerCollector,
): Promise<Draft> {
  const standard = await question.standard(draft, collector.place);
  const prompt = `${question.prompt(draft)}${standard === undefined || standard === '' ? '' : ` [${standard}]`}: `;
  for (;;) {
    const typed = typedText(await ask(prompt), homeOf(collector)) || standard;
    if (typed === undefined) continue;
    try {
      return await understood(question, typed, draft, collector);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      collector.report(error.message);
    }
  }
}

/** Asks again after each answer, until one is empty. */
async function askRepeatedly(
  question: InitQuestion,
  draft: Draft,
  ask: (prompt: string) => Promise<string>,
  collector: AnswerCollector,
): Promise<Draft> {
  let answered = await askOnce(question, draft, ask, collector);
  for (;;) {
    const typed = typedText(await ask(`${question.prompt(answered)}: `), homeOf(collector));
    if (typed === '') return answered;
    try {
      answered = await understood(question, typed, answered, collector);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      collector.report(error.message);
    }
  }
}

function homeOf({ place }: AnswerCollector): string | undefined {
  return place.environment['HOME'];
}

async function understood(
  question: InitQuestion,
  text: string,
  draft: Draft,
  { place, report }: AnswerCollector,
): Promise<Draft> {
  const { draft: more, remark } = await question.understand(text, draft, place);
  if (remark !== undefined) report(remark);
  return { ...draft, ...more };
}

// A path as people type or drag it to a question: no shell has removed its quotes and replaced its ~. Pure.

/**
 * Without quotes around the text, and with the home folder in place of a leading `~`, also behind `git:` and the like.
 */
function typedText(text: string, home: string | undefined): string {
  const [, , quoted = text] = /^(['"])(.*)\1$/.exec(text) ?? [];
  return withHome(quoted, home);
}

/** `--source=~/packages`: a shell replaces a ~ only at the beginning of a word. */
function withHome(text: string, home: string | undefined): string {
  if (home === undefined || home === '') return text;
  return text.replace(
    /^((?:git|dir|artifact):)?~(?=\/|$)/,
    (_, prefix: string | undefined) => `${prefix ?? ''}${home}`,
  );
}
