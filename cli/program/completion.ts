// `libretto completion`, and the hidden command that its scripts call.

import type { Command } from 'commander';

import { example, type Wire } from '../commands/command-parts.ts';

/** `program`: with all other commands; completion reads their declarations. */
export function addCompletion(program: Command, wire: Wire): void {
  const completion = program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .summary('print the completion script of bash, zsh or fish')
    .description(
      'Print a script that completes commands, options, files, and the names and ids of your registry: packages, ' +
        'versions, tokens, repositories, users, sources, endpoints. The examples install it for one user; a new shell uses it.',
    )
    .addHelpText(
      'after',
      example(
        'mkdir -p ~/.local/share/bash-completion/completions && libretto completion bash > ' +
          '~/.local/share/bash-completion/completions/libretto',
        `echo 'source <(libretto completion bash)' >> ~/.bashrc`,
        `echo 'autoload -Uz compinit && compinit && source <(libretto completion zsh)' >> ~/.zshrc`,
        'mkdir -p ~/.config/fish/completions && libretto completion fish > ~/.config/fish/completions/libretto.fish',
      ),
    );
  wire(completion, () => import('../commands/completion/completion.ts'));
  const complete = program
    .command('complete', { hidden: true })
    .argument('[words...]', 'the words after libretto; the last one is completed')
    .description('Print the candidates for the last word.')
    .addHelpText('after', example('libretto complete -- token re'));
  wire(complete, async () => {
    const { runComplete } = await import('../commands/completion/complete.ts');
    return { run: (context, given) => runComplete(program, context, given) };
  });
}
